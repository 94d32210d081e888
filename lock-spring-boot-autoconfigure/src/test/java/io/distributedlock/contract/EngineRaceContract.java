package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads of two engines compete for few locks.
 */
abstract class EngineRaceContract extends EngineOrphanContract {

	@Test
	@Order(LockBackendContract.ALONE)
	@Tag(LockBackendContract.HISTORIES)
	@ResourceLock(LockBackendContract.PROCESSORS)
	void bodiesOfTwoEnginesNeverOverlapAndTheirTokensGrow() {
		race(16, List.of(new Section(newKey()), new Section(newKey()), new Section(newKey())), () -> true);
	}

	@Test
	@Order(LockBackendContract.ALONE)
	@Tag(LockBackendContract.HISTORIES)
	@ResourceLock(LockBackendContract.PROCESSORS)
	void leasesThatArePassedOnInTwoEnginesNeverOverlapAndTheirTokensGrow() {
		int tokens = acquire(first(), newKey(), request(OwnerId.random(), longTtl(), 8, null)).token().count();

		// A store may grant one token at a time, which excludes hand-over.
		BooleanSupplier passedOn = () -> tokens == 1 || here().news().handOvers() + there().news().handOvers() > 0;
		race(8, List.of(new Section(newKey())), passedOn);

		assertThat(passedOn.getAsBoolean()).as("whether leases were passed on").isTrue();
	}

	private void race(int threads, List<Section> sections, BooleanSupplier happened) {
		long seed = ThreadLocalRandom.current().nextLong();
		List<EngineClient> engines = List.of(here(), there());
		Duration duration = raceDuration().dividedBy(4);
		RaceTime time = RaceTime.of(duration);

		Caller<List<Integer>> race = Caller.of(() -> Crowd.of(threads).map((index) -> {
			Random random = new Random(seed + index);
			LockTemplate template = engines.get(index % 2).template();
			int bodies = 0;
			while (time.goesOn(() -> Section.areAllGranted(sections) && happened.getAsBoolean())) {
				bodies += visit(template, sections.get(random.nextInt(sections.size())), random);
			}
			return bodies;
		}));
		List<Integer> bodies = await(race.result(), duration.plusSeconds(60));

		assertThat(sections).as("sections of the race with seed %d", seed)
			.allSatisfy((section) -> assertThat(section.failures()).isEmpty());
		assertThat(sections.stream().mapToLong(Section::visits).sum()).as("visits, in the race with seed %d", seed)
			.isEqualTo(bodies.stream().mapToLong(Integer::longValue).sum());
		sections.forEach((section) -> assertFreeAfterRace(section.key()));
	}

	/**
	 * Return how many bodies have run.
	 */
	private int visit(LockTemplate template, Section section, Random random) {
		LockRequest request = LockRequest.of(section.key()).waitTime(longTtl());
		switch (random.nextInt(5)) {
			case 0 -> {
				return template.tryExecuteWithoutResult(request.waitTime(Duration.ZERO), (lease) -> use(lease, section))
						? 1 : 0;
			}
			case 1 -> {
				return visitImpatiently(template, request.waitTime(Duration.ofMillis(random.nextInt(5))), section);
			}
			case 2 -> useAndRelease(template.acquireAsync(request).toCompletableFuture().join(), section);
			case 3 -> useAndRelease(template.acquire(request), section);
			default -> template.executeWithoutResult(request, (lease) -> use(lease, section));
		}
		return 1;
	}

	private static int visitImpatiently(LockTemplate template, LockRequest request, Section section) {
		try {
			useAndRelease(template.acquire(request), section);
			return 1;
		}
		catch (LockBusyException ex) {
			return 0;
		}
		catch (LockUnavailableException ex) {
			// A wait of few milliseconds may end before the first answer.
			section.expect(ex.getMessage().contains("no answer in time"), ex.getMessage());
			return 0;
		}
	}

	private static void useAndRelease(Lease lease, Section section) {
		use(lease, section);
		section.expect(lease.release(), "a release reported lost");
	}

	private static void use(Lease lease, Section section) {
		section.enter(new TokenRange(lease.fencingToken(), 1));
		section.expect(lease.isHeld(), "a body without a lease");
		section.leave();
	}

}
