package io.distributedlock.contract;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An engine that stops leaves nothing behind at the store, and works when it is started
 * again.
 */
abstract class EngineLifecycleContract extends EngineLossContract {

	private final String key = newKey();

	@Test
	void stopFreesSoonWhatIsHeld() {
		List<String> keys = Stream.generate(ContractPart::newKey).limit(20).toList();
		keys.forEach((held) -> acquire(here(), held));

		stop(here());

		// With several nodes, a majority has answered. If some of them go down now, the
		// others may not have executed the request yet.
		assertThat(keys).allSatisfy((freed) -> assertThat(
				await(there().template().acquireAsync(LockRequest.of(freed).waitTime(lateness()))).isHeld())
			.isTrue());
	}

	@Test
	void waiterOfAStoppedEngineEndsAndBlocksNoOther() {
		Lease lease = acquire(there(), this.key);
		CompletableFuture<Lease> waiting = here().template().acquireAsync(patient(this.key)).toCompletableFuture();
		until("the waiter has found the lock busy", () -> here().store().answers() > 0);

		stop(here());

		assertThat(failure(waiting)).isInstanceOf(LockUnavailableException.class);
		lease.release();
		assertThat(elsewhere().template().tryAcquire(this.key)).isPresent();
	}

	@Test
	void engineThatIsStartedAgainAcquiresRenewsAndWaits() {
		acquire(here(), this.key);
		stop(here());

		here().engine().start();

		Lease lease = acquire(here(), LockRequest.of(this.key).ttl(renewedTtl()));
		elapse(renewedTtl().multipliedBy(4).dividedBy(3));
		assertThat(lease.release()).isTrue();
		Lease other = acquire(there(), this.key);
		int before = here().store().answers();
		CompletableFuture<Lease> waiting = here().template().acquireAsync(patient(this.key)).toCompletableFuture();
		until("the waiter has found the lock busy", () -> here().store().answers() > before);
		other.release();
		await(waiting);
	}

	@Test
	void stopUnderLoadLeavesNothing() {
		long seed = ThreadLocalRandom.current().nextLong();
		Random random = new Random(seed);
		List<String> keys = Stream.generate(ContractPart::newKey).limit(3).toList();
		AtomicInteger uses = new AtomicInteger();
		for (int round = 0; round < 15; round++) {
			here().engine().start();
			int before = uses.get();
			CompletableFuture<List<Boolean>> load = Caller
				.of(() -> Crowd.of(6).map((index) -> useUntilStopped(here().template(), keys.get(index % 3), uses)))
				.result();
			if (round % 2 == 0) {
				// On a busy machine the pause alone might be over before any body begins.
				until("a lock is used", () -> uses.get() > before);
			}
			LockSupport.parkNanos(random.nextInt(20_000_000));

			stop(here());

			assertThat(get(ListedLocks.all(first())).stream().map(LockInfo::key))
				.as("what is left at the store, in round %d of seed %d", round, seed)
				.doesNotContainAnyElementsOf(keys);
			await(load);
		}
		assertThat(uses.get()).as("how often the locks were used").isPositive();
	}

	private boolean useUntilStopped(LockTemplate template, String contended, AtomicInteger uses) {
		while (true) {
			try {
				Lease lease = template.acquire(patient(contended));
				lease.release();
				uses.incrementAndGet();
			}
			catch (LockUnavailableException ex) {
				assertThat(ex).hasMessageContaining("stopped");
				return true;
			}
		}
	}

}
