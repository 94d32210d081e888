package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.DecoratedBackend;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests two engines with readers, writers, permits and several keys, in many threads and
 * in real time: waits that end early, cancellations and interrupts at any moment. One
 * engine takes several keys at once, the other one by one. Runs for two seconds, or for
 * the time in {@code -Dlock.test.duration}.
 */
@Tag(LockBackendContract.HISTORIES)
class GroupFuzzTests {

	private static final Duration DURATION = DurationStyle
		.detectAndParse(System.getProperty("lock.test.duration", "2s"));

	private static final Duration LONGEST = Duration.ofSeconds(60);

	private static final int ENOUGH = 100;

	private static final List<String> KEYS = List.of("a", "b", "c");

	private static final int PERMITS = 3;

	private final SystemLockClock clock = new SystemLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	private final List<LockEngine> engines = List.of(engine(new LocalLockBackend(this.store, "one", this.clock)),
			engine(new OneByOne(new LocalLockBackend(this.store, "two", this.clock))));

	private final Map<String, Guarded> resources = KEYS.stream()
		.collect(Collectors.toMap((key) -> key, (key) -> new Guarded()));

	private final AtomicInteger bodies = new AtomicInteger();

	private final long end = this.clock.nanoTime() + DURATION.toNanos();

	private LockEngine engine(LockBackend backend) {
		return new LockEngine(backend, EngineSettings.DEFAULTS, this.clock, List.of(), List.of());
	}

	@AfterEach
	void close() {
		this.engines.forEach(LockEngine::stop);
		this.clock.close();
	}

	@Test
	void modesExcludeEachOtherAndNothingIsLeftBehind() throws Exception {
		long seed = ThreadLocalRandom.current().nextLong();
		List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			Random random = new Random(seed + i);
			LockEngine engine = this.engines.get(i % 2);
			LockTemplate template = new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
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
			TimeUnit.MICROSECONDS.sleep(chaos.nextInt(2_000));
		}
		for (Thread thread : threads) {
			thread.join(TimeUnit.SECONDS.toMillis(30));
		}

		assertThat(failures).as("seed %s", seed).isEmpty();
		assertThat(this.bodies.get()).isGreaterThan(ENOUGH);
		await().untilAsserted(() -> {
			BackendConnection operator = new LocalLockBackend(this.store, "operator", this.clock).connect((ownerId) -> {
			});
			assertThat(ListedLocks.all(operator).toCompletableFuture().join()).as("seed %s", seed).isEmpty();
			assertThat(this.engines).as("seed %s", seed).allMatch(LockEngine::isIdle);
		});
	}

	private boolean isGoingOn() {
		long over = this.clock.nanoTime() - this.end;
		return over < 0 || (over < LONGEST.toNanos() && this.bodies.get() <= ENOUGH);
	}

	private static LockRequest request(Random random) {
		if (random.nextInt(4) == 0) {
			return LockRequest.of(KEYS.get(random.nextInt(KEYS.size()))).permits(1 + random.nextInt(PERMITS));
		}
		List<String> keys = new ArrayList<>(KEYS);
		Collections.shuffle(keys, random);
		LockRequest request = LockRequest.of(keys.subList(0, 1 + random.nextInt(keys.size())));
		return random.nextBoolean() ? request.shared() : request;
	}

	private void act(LockTemplate template, Random random) {
		LockRequest request = request(random);
		try {
			switch (random.nextInt(5)) {
				case 0 -> template.tryAcquire(request).ifPresent((lease) -> use(lease, request));
				case 1 -> use(template.acquire(request.waitTime(Duration.ofMillis(1 + random.nextInt(20)))), request);
				case 2 -> template.executeWithoutResult(request, (lease) -> write(lease, request));
				case 3 -> cancelAtSomeTime(template, request, random);
				default -> use(template.acquire(request), request);
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

	private void cancelAtSomeTime(LockTemplate template, LockRequest request, Random random) {
		CompletableFuture<Lease> cancelled = template.acquireAsync(request).toCompletableFuture();
		for (int i = random.nextInt(2000); i > 0; i--) {
			Thread.onSpinWait();
		}
		if (!cancelled.cancel(true) && !cancelled.isCompletedExceptionally()) {
			use(cancelled.join(), request);
		}
	}

	private void use(Lease lease, LockRequest request) {
		write(lease, request);
		assertThat(lease.release()).isTrue();
	}

	private void write(Lease lease, LockRequest request) {
		lease.keys().forEach((key) -> this.resources.get(key).enter(request, lease.fencingToken(key)));
		Thread.yield();
		lease.keys().forEach((key) -> this.resources.get(key).leave(request));
		this.bodies.incrementAndGet();
	}

	/**
	 * Breaks if leases meet that exclude each other, or if the token of a writer is not
	 * greater than all before.
	 */
	private static final class Guarded {

		private int writers;

		private int readers;

		private int permits;

		private long token;

		synchronized void enter(LockRequest request, long entering) {
			if (request.getMode() == LockMode.EXCLUSIVE) {
				assertThat(entering).as("the token of a writer").isGreaterThan(this.token);
				this.writers++;
			}
			else if (request.getMode() == LockMode.SHARED) {
				this.readers++;
			}
			else {
				this.permits++;
				assertThat(this.permits).as("holders of permits").isLessThanOrEqualTo(PERMITS);
			}
			this.token = Math.max(this.token, entering);
			assertThat(this.writers).as("writers").isLessThanOrEqualTo(1);
			int kinds = Integer.signum(this.writers) + Integer.signum(this.readers) + Integer.signum(this.permits);
			assertThat(kinds).as("kinds of holders").isEqualTo(1);
		}

		synchronized void leave(LockRequest request) {
			switch (request.getMode()) {
				case EXCLUSIVE -> this.writers--;
				case SHARED -> this.readers--;
				case PERMITS -> this.permits--;
			}
		}

	}

	/**
	 * A store whose keys are granted one by one.
	 */
	private static final class OneByOne extends DecoratedBackend {

		OneByOne(LockBackend delegate) {
			super(delegate);
		}

		@Override
		public SeveralKeys severalKeys(LockTarget target) {
			return SeveralKeys.ONE_BY_ONE;
		}

	}

}
