package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads of several clients compete for few locks.
 */
abstract class RaceContract extends SeveralKeysContract {

	private static final int THREADS = 16;

	private static final int CLIENTS = 4;

	@Test
	@Order(LockBackendContract.ALONE)
	@Tag(LockBackendContract.HISTORIES)
	@ResourceLock(LockBackendContract.PROCESSORS)
	void grantsNeverOverlapAndTokensGrowInTheirOrder() {
		long seed = ThreadLocalRandom.current().nextLong();
		List<Section> sections = List.of(new Section(newKey()), new Section(newKey()), new Section(newKey()));
		client(CLIENTS - 1);
		RaceTime time = RaceTime.of(raceDuration());

		Crowd.of(THREADS).map((index) -> {
			Random random = new Random(seed + index);
			ContractClient client = client(index % CLIENTS);
			int rounds = 0;
			while (time.goesOn(() -> Section.areAllGranted(sections))) {
				visit(client, sections.get(random.nextInt(sections.size())), random);
				rounds++;
			}
			return rounds;
		});

		assertThat(sections).as("sections of the race with seed %d", seed)
			.allSatisfy((section) -> assertThat(section.failures()).isEmpty());
		sections.forEach((section) -> assertFreeAfterRace(section.key()));
	}

	/**
	 * Assert that no attempt or lease of a race has left a lock behind. If attempts may
	 * split the votes, the last refused ones may still be given back at single nodes. A
	 * waiter is granted the lock soon then, whereas the first attempt may be busy.
	 */
	final void assertFreeAfterRace(String key) {
		if (!canSplitVotes()) {
			assertFree(first(), key);
			return;
		}
		LeaseGrant grant = new Waiter(this, first(), key).untilGranted(lateness());
		assertThat(release(first(), grant)).as("release of '%s', just acquired", key).isTrue();
	}

	private void visit(BackendConnection client, Section section, Random random) {
		Duration patience = random.nextBoolean() ? TIMEOUT : Duration.ZERO;
		LeaseRequest request = new LeaseRequest(OwnerId.random(), longTtl(), 1 + random.nextInt(8), null, false,
				TIMEOUT, patience);
		AttemptOutcome outcome = attempt(client, section.key(), request);
		if (outcome instanceof AttemptOutcome.Granted granted) {
			LeaseGrant grant = granted.grant();
			section.enter(grant.token());
			if (random.nextInt(8) == 0) {
				section.expect(renew(client, grant, longTtl()) instanceof RenewalOutcome.Renewed, "a renewal failed");
			}
			section.leave();
			section.expect(release(client, grant), "a release reported lost");
			if (random.nextInt(8) == 0) {
				section.expect(!release(client, grant), "a second release found the lease");
			}
		}
		else if (outcome instanceof AttemptOutcome.Unavailable && canDistrustAnswers()) {
			// As the engine does it.
			get(client.abandon(List.of(new Orphan(LockTarget.exclusive(section.key()), request.ownerId()))));
		}
		else {
			section.expect(outcome instanceof AttemptOutcome.Busy, "neither granted nor busy: " + outcome);
			LockSupport.parkNanos(random.nextInt(300_000));
		}
	}

}
