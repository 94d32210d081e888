package io.distributedlock.engine;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts what an acquisition without contention and its release cost on the local store.
 */
class PairCostTests {

	private static final int PAIRS = 2_000;

	/**
	 * The 3,784 bytes that a pair allocates, and a tenth more.
	 */
	private static final long MOST_BYTES = 4_160;

	private final CountingClock clock = new CountingClock();

	private final LockEngine engine = new LockEngine(
			new LocalLockBackend(new LocalStore(this.clock), "test", this.clock), EngineSettings.DEFAULTS, this.clock,
			List.of(), List.of());

	private final DefaultLockTemplate template = new DefaultLockTemplate(this.engine,
			new DefaultScopes(this.engine, LeaseRetention.NONE));

	@Test
	void pairAllocatesLittle() {
		pairs();
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		long thread = Thread.currentThread().getId();
		long before = threads.getThreadAllocatedBytes(thread);

		pairs();

		assertThat((threads.getThreadAllocatedBytes(thread) - before) / PAIRS).isLessThanOrEqualTo(MOST_BYTES);
	}

	@Test
	void pairsShareOneTimer() {
		pairs();

		assertThat(this.clock.scheduled).hasValue(1);
	}

	@Test
	void pairRunsOnTheThreadOfItsCaller() {
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		this.clock.onRead = () -> threads.add(Thread.currentThread());

		pairs();

		assertThat(threads).containsExactly(Thread.currentThread());
	}

	private void pairs() {
		for (int i = 0; i < PAIRS; i++) {
			Lease lease = this.template.acquire(LockRequest.of("order"));
			lease.release();
		}
	}

	/**
	 * A clock whose tasks never run.
	 */
	private static final class CountingClock implements LockClock {

		private final AtomicInteger scheduled = new AtomicInteger();

		private volatile Runnable onRead = () -> {
		};

		@Override
		public long nanoTime() {
			this.onRead.run();
			return System.nanoTime();
		}

		@Override
		public long wallMillis() {
			return System.currentTimeMillis();
		}

		@Override
		public Timeout schedule(Duration delay, Runnable task) {
			this.scheduled.incrementAndGet();
			return () -> {
			};
		}

	}

}
