package io.distributedlock.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.spi.LeaseRetention;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the state of locks inside a JVM: it does not depend on threads, and is kept
 * exactly as long as it is needed.
 */
class LocalStateTests {

	private static final int KEYS = 20;

	private final EngineFixture fixture = new EngineFixture();

	@Test
	void handleIsReleasedOnceByWhicheverThread() {
		Lease lease = this.fixture.template.acquire(EngineFixture.KEY);

		assertThat(CompletableFuture.supplyAsync(lease::release).join()).isTrue();
		assertThat(lease.release()).as("the first answer again").isTrue();

		assertThat(this.fixture.inStore()).isEmpty();
		assertThat(this.fixture.news()).containsOnlyOnce("released");
		assertThat(this.fixture.engine.isIdle()).isTrue();
	}

	@Test
	void lockThatIsHeldStaysHeldAndRenewedWhileMoreKeysThanAnyCacheHoldsComeAndGo() {
		Lease lease = this.fixture.template.acquire(EngineFixture.KEY);

		for (int i = 0; i < 200_000; i++) {
			this.fixture.template.acquire("key:" + i).release();
			if (i % 10_000 == 0) {
				this.fixture.advance(EngineSettings.DEFAULTS.ttl().dividedBy(2));
			}
		}

		assertThat(lease.isHeld()).isTrue();
		assertThat(this.fixture.template.tryAcquire(EngineFixture.KEY)).isEmpty();
		assertThat(this.fixture.other.tryAcquire(EngineFixture.KEY)).isEmpty();
		assertThat(this.fixture.locksInStore()).isOne();
		assertThat(lease.release()).isTrue();
		this.fixture.advance(Duration.ofSeconds(1));
		assertThat(this.fixture.engine.isIdle()).isTrue();
	}

	@Test
	void sectionsOnThousandsOfShortLivedThreadsExcludeEachOther() throws Exception {
		SystemLockClock clock = new SystemLockClock();
		LockEngine engine = new LockEngine(new LocalLockBackend(new LocalStore(clock), "one", clock),
				EngineSettings.DEFAULTS, clock, List.of(), List.of());
		DefaultLockTemplate template = new DefaultLockTemplate(engine, new DefaultScopes(engine, LeaseRetention.NONE));
		AtomicIntegerArray inside = new AtomicIntegerArray(KEYS);
		AtomicInteger overlaps = new AtomicInteger();
		List<Callable<Void>> sections = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			int key = i % KEYS;
			LockRequest request = LockRequest.of("key:" + key).waitTime(ChronoUnit.FOREVER.getDuration());
			sections.add(() -> {
				template.executeWithoutResult(request, (lease) -> {
					overlaps.addAndGet(inside.getAndIncrement(key));
					Thread.yield();
					inside.decrementAndGet(key);
				});
				return null;
			});
		}
		ExecutorService threads = threadForEachSection();
		try {
			for (Future<Void> section : threads.invokeAll(sections)) {
				section.get();
			}
		}
		finally {
			threads.shutdownNow();
		}

		assertThat(overlaps).hasValue(0);
		engine.stop();
		assertThat(engine.isIdle()).isTrue();
	}

	/**
	 * Return an executor with virtual threads if the JVM has them.
	 */
	private static ExecutorService threadForEachSection() throws ReflectiveOperationException {
		try {
			return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
		}
		catch (NoSuchMethodException ex) {
			return Executors.newFixedThreadPool(200);
		}
	}

}
