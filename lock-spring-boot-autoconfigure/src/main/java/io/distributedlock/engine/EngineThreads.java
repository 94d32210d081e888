package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Runs callers' code on daemon threads, which end when idle. Futures, asynchronous bodies
 * and listeners never run inside the engine.
 * <p>
 * Callers' code may block forever. The pool has the size that short tasks need. If no
 * task could begin for {@link #STALL} although some are waiting, all its threads are
 * assumed to be blocked, and the pool doubles. A task may therefore wait for others that
 * block, but never forever.
 */
final class EngineThreads implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(EngineThreads.class);

	private static final Duration STALL = Duration.ofMillis(10);

	private static final int SIZE = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());

	// Real time, with a thread of its own, because callers' code does not depend on the
	// clock of the locks.
	private final LockClock clock = new SystemLockClock();

	private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

	private final ThreadPoolExecutor pool;

	private final AtomicLong begun = new AtomicLong();

	private final AtomicBoolean watching = new AtomicBoolean();

	EngineThreads() {
		this.pool = new ThreadPoolExecutor(SIZE, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, this.waiting,
				named("lock-callback"));
		this.pool.allowCoreThreadTimeOut(true);
	}

	static ThreadFactory named(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	/**
	 * Run a task soon. Never throws an exception: if this machine has no thread left, the
	 * task waits for one.
	 */
	@Override
	public void execute(Runnable task) {
		Runnable counted = () -> {
			this.begun.incrementAndGet();
			task.run();
		};
		try {
			this.pool.execute(counted);
		}
		catch (Throwable ex) {
			logger.warn("No thread could be started for a callback; it waits for one", ex);
			this.waiting.add(counted);
		}
		if (!this.waiting.isEmpty() && this.watching.compareAndSet(false, true)) {
			watch();
		}
	}

	private void watch() {
		long before = this.begun.get();
		this.clock.schedule(STALL, () -> growIfStalled(before));
	}

	private void growIfStalled(long before) {
		try {
			if (this.begun.get() == before && !this.waiting.isEmpty()) {
				// Starts one thread for each waiting task, up to this size.
				this.pool.setCorePoolSize(Math.max(SIZE, 2 * this.pool.getPoolSize()));
			}
		}
		catch (Throwable ex) {
			logger.warn("No thread could be started for {} callbacks; they wait for one", this.waiting.size(), ex);
		}
		finally {
			if (!this.waiting.isEmpty()) {
				watch();
			}
			else {
				this.pool.setCorePoolSize(SIZE);
				this.watching.set(false);
				// A task may have been added in between, when the flag was still set.
				if (!this.waiting.isEmpty() && this.watching.compareAndSet(false, true)) {
					watch();
				}
			}
		}
	}

}
