package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseRetention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests two engines with many threads in real time: waits that end early, cancellations
 * and interrupts at any moment. Runs for two seconds, or for the time in
 * {@code -Dlock.test.duration}, for example {@code 5m}.
 */
@Tag(LockBackendContract.HISTORIES)
class EngineFuzzTests {

	private static final Duration DURATION = DurationStyle
		.detectAndParse(System.getProperty("lock.test.duration", "2s"));

	private static final Duration LONGEST = Duration.ofSeconds(60);

	private static final int ENOUGH = 100;

	private static final List<String> KEYS = List.of("hot", "warm", "cold");

	private final SystemLockClock clock = new SystemLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final List<LockEngine> engines = List.of(engine("one"), engine("two"));

	private final List<Guarded> resources = KEYS.stream().map((key) -> new Guarded()).toList();

	private final AtomicInteger bodies = new AtomicInteger();

	private final long end = this.clock.nanoTime() + DURATION.toNanos();

	private LockEngine engine(String instance) {
		return new LockEngine(new LocalLockBackend(this.store, instance, this.clock), EngineSettings.DEFAULTS,
				this.clock, List.of(), List.of());
	}

	@AfterEach
	void close() {
		this.engines.forEach(LockEngine::stop);
		this.clock.close();
	}

	@Test
	void bodiesNeverOverlapTokensGrowAndNothingIsLeftBehind() throws Exception {
		long seed = ThreadLocalRandom.current().nextLong();
		List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			Random random = new Random(seed + i);
			LockTemplate template = template(this.engines.get(i % 2));
			Thread thread = new Thread(() -> {
				try {
					while (isGoingOn()) {
						act(template, random);
					}
				}
				catch (Throwable ex) {
					failures.add(ex);
				}
			});
			threads.add(thread);
			thread.start();
		}
		Random chaos = new Random(seed - 1);
		while (isGoingOn()) {
			threads.get(chaos.nextInt(threads.size())).interrupt();
			Thread.onSpinWait();
			TimeUnit.MICROSECONDS.sleep(chaos.nextInt(500));
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(30));
		}

		assertThat(failures).as("seed %s", seed).isEmpty();
		assertThat(this.resources.stream().mapToInt((resource) -> resource.writes).sum()).as("seed %s", seed)
			.isEqualTo(this.bodies.get());
		assertThat(this.bodies.get()).isGreaterThan(ENOUGH);
		await().untilAsserted(() -> {
			BackendConnection operator = new LocalLockBackend(this.store, "operator", this.clock).connect((ownerId) -> {
			});
			assertThat(ListedLocks.all(operator).toCompletableFuture().join()).as("seed %s", seed).isEmpty();
			assertThat(this.engines).as("seed %s", seed).allMatch(LockEngine::isIdle);
		});
	}

	/**
	 * Return whether the test goes on: for a while, and then until enough has happened,
	 * even on a busy machine.
	 */
	private boolean isGoingOn() {
		long over = this.clock.nanoTime() - this.end;
		return over < 0 || (over < LONGEST.toNanos() && this.bodies.get() <= ENOUGH);
	}

	private static LockTemplate template(LockEngine engine) {
		return new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
	}

	private void act(LockTemplate template, Random random) {
		int index = (int) Math.min(2, Math.abs(random.nextGaussian()));
		LockRequest request = LockRequest.of(KEYS.get(index));
		Guarded resource = this.resources.get(index);
		try {
			switch (random.nextInt(5)) {
				case 0 -> template.tryAcquire(request).ifPresent((lease) -> use(lease, resource));
				case 1 -> use(template.acquire(request.waitTime(Duration.ofMillis(1 + random.nextInt(20)))), resource);
				case 2 -> template.executeWithoutResult(request, resource::write);
				case 3 -> cancelAtSomeTime(template, request, resource, random);
				default -> use(template.acquire(request), resource);
			}
		}
		catch (LockBusyException | LockInterruptedException ex) {
			Thread.interrupted();
		}
		catch (LockUnavailableException ex) {
			// A wait of a millisecond may end before the first answer.
			assertThat(ex).hasMessageContaining("no answer in time");
		}
	}

	private void use(Lease lease, Guarded resource) {
		resource.write(lease);
		assertThat(lease.release()).isTrue();
	}

	private void cancelAtSomeTime(LockTemplate template, LockRequest request, Guarded resource, Random random) {
		CompletableFuture<Lease> cancelled = template.acquireAsync(request).toCompletableFuture();
		CompletableFuture<Lease> kept = template.acquireAsync(request).toCompletableFuture();
		for (int i = random.nextInt(2000); i > 0; i--) {
			Thread.onSpinWait();
		}
		if (!cancelled.cancel(true)) {
			use(cancelled.join(), resource);
		}
		use(kept.join(), resource);
	}

	/**
	 * Breaks if two threads write at the same time, and keeps the greatest token.
	 */
	private final class Guarded {

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicLong token = new AtomicLong();

		// Guarded by the lock under test.
		private int writes;

		void write(Lease lease) {
			assertThat(this.inside.incrementAndGet()).isEqualTo(1);
			assertThat(lease.fencingToken()).isGreaterThan(this.token.get());
			this.token.set(lease.fencingToken());
			this.writes++;
			this.inside.decrementAndGet();
			EngineFuzzTests.this.bodies.incrementAndGet();
		}

	}

}
