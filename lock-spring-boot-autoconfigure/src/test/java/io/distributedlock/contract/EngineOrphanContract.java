package io.distributedlock.contract;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A caller that gives up while the answer of the store is under way leaves nothing behind
 * there.
 */
abstract class EngineOrphanContract extends EngineLifecycleContract {

	/**
	 * The longest time for which an answer is under way.
	 */
	private static final Duration DELAY = Duration.ofMillis(15);

	/**
	 * The latest time at which a request is given up; some have been served before.
	 */
	private static final int LATEST_EXIT_MICROS = 25_000;

	private static final int KEYS = 10;

	private final long seed = ThreadLocalRandom.current().nextLong();

	private final Random random = new Random(this.seed);

	@Test
	void grantsThatRaceWithInterruptCancellationAndTimeOutLeaveNothing() {
		EngineClient here = open((client) -> new DelayedBackend(client, clock(), DELAY, this.seed));
		List<String> keys = newKeys();
		for (int round = 0; round < 20; round++) {
			giveUp(here, keys, longTtl());
			List<CompletionStage<Lease>> others = keys.stream()
				.map((key) -> there().template().acquireAsync(patient(key)))
				.toList();

			for (CompletionStage<Lease> other : others) {
				assertThat(await(await(other).releaseAsync())).as(describe(round)).isTrue();
			}
		}
		assertNothingLeft(keys, 20);
	}

	@Test
	void nothingIsRenewedForThoseWhoGaveUp() {
		EngineClient here = open((client) -> new DelayedBackend(client, clock(), DELAY, this.seed));
		List<String> keys = newKeys();
		for (int round = 0; round < 5; round++) {
			giveUp(here, keys, renewedTtl());
		}
		until("what was granted too late has been given back", () -> left(keys).isEmpty());
		// Until the answer to its release, a hand-over may still be confirmed.
		elapse(DELAY.multipliedBy(10));
		int renewals = here.store().renewals();

		elapse(briefTtl());

		assertThat(here.store().renewals()).as(describe(5)).isEqualTo(renewals);
		assertNothingLeft(keys, 5);
	}

	@Test
	void interruptedWaiterRunsNoBodyAndKeepsItsInterrupt() {
		String key = newKey();
		AtomicInteger bodies = new AtomicInteger();
		Lease lease = acquire(there(), key);
		Caller<?> waiter = Caller.of(() -> here().template().execute(patient(key), (mine) -> bodies.incrementAndGet()));
		until("the waiter has found the lock busy", () -> here().store().answers() > 0);

		waiter.interrupt();

		assertThat(failure(waiter.result())).isInstanceOf(LockInterruptedException.class);
		assertThat(waiter.isInterrupted()).isTrue();
		assertThat(bodies).hasValue(0);
		lease.release();
		assertThat(elsewhere().template().tryAcquire(key)).isPresent();
	}

	private List<String> newKeys() {
		return Stream.generate(ContractPart::newKey).limit(KEYS).toList();
	}

	private void assertNothingLeft(List<String> keys, int round) {
		assertThat(left(keys)).as(describe(round)).isEmpty();
	}

	private List<String> left(List<String> keys) {
		return get(ListedLocks.all(first())).stream().map(LockInfo::key).filter(keys::contains).toList();
	}

	private String describe(int round) {
		return "round " + round + " of seed " + this.seed;
	}

	/**
	 * Request each key twice, so that a lease that one caller gives up may be handed over
	 * to the other, and wait until all have given up or used the lock.
	 */
	private void giveUp(EngineClient engine, List<String> keys, Duration ttl) {
		List<CompletableFuture<?>> ends = new ArrayList<>();
		for (int i = 0; i < 2 * keys.size(); i++) {
			ends.add(giveUpAtSomeTime(engine.template(), patient(keys.get(i % keys.size())).ttl(ttl)));
		}
		ends.forEach(this::await);
	}

	private CompletableFuture<?> giveUpAtSomeTime(LockTemplate template, LockRequest request) {
		Duration offset = Duration.of(1 + this.random.nextInt(LATEST_EXIT_MICROS), ChronoUnit.MICROS);
		return switch (this.random.nextInt(4)) {
			case 0 -> interrupted(request, offset, template);
			case 1 -> interrupted(request.waitTime(Duration.ZERO), offset, template);
			case 2 -> {
				CompletableFuture<Lease> cancelled = template.acquireAsync(request).toCompletableFuture();
				clock().schedule(offset, () -> cancelled.cancel(true));
				yield used(cancelled);
			}
			default -> used(template.acquireAsync(request.waitTime(offset)));
		};
	}

	private CompletableFuture<?> interrupted(LockRequest request, Duration offset, LockTemplate template) {
		Caller<Boolean> caller = Caller.of(() -> {
			try {
				return template.acquire(request).release();
			}
			catch (LockInterruptedException ex) {
				assertThat(Thread.currentThread().isInterrupted()).as("the flag of the interrupted thread").isTrue();
				throw ex;
			}
		});
		clock().schedule(offset, caller::interrupt);
		return ended(caller.result());
	}

	private CompletableFuture<?> used(CompletionStage<Lease> acquired) {
		return ended(acquired.thenCompose(Lease::releaseAsync));
	}

	/**
	 * Return a future that succeeds if the request was given up, or its lease released.
	 */
	private static CompletableFuture<?> ended(CompletionStage<Boolean> released) {
		return released.exceptionally((failure) -> {
			Throwable cause = (failure instanceof CompletionException && failure.getCause() != null)
					? failure.getCause() : failure;
			// A wait of few milliseconds may end before the first answer.
			assertThat(cause).isInstanceOfAny(LockInterruptedException.class, CancellationException.class,
					LockBusyException.class, LockUnavailableException.class);
			return true;
		}).thenAccept((held) -> assertThat(held).as("a release").isTrue()).toCompletableFuture();
	}

}
