package io.distributedlock.backend;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Creates the worker threads that wait for a store whose driver blocks. They end after
 * ten idle seconds, and are daemon threads. They are never interrupted, because some
 * databases close their files on an interrupt. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class StoreThreads {

	private StoreThreads() {
	}

	/**
	 * Create workers.
	 * @param name the prefix of the threads' names
	 * @param most the maximum number of workers; a single worker runs its tasks in order
	 * @return the workers
	 */
	public static ThreadPoolExecutor named(String name, int most) {
		AtomicInteger number = new AtomicInteger();
		ThreadFactory threads = (task) -> {
			Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
		ThreadPoolExecutor workers = new ThreadPoolExecutor(most, most, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), threads);
		workers.allowCoreThreadTimeOut(true);
		return workers;
	}

	/**
	 * Wait until workers that were shut down have ended. An interrupt of the calling
	 * thread ends the wait.
	 * @param workers the workers
	 * @param timeout how long to wait at most
	 * @return {@code false} if a task is still running after the timeout; {@code true}
	 * also after an interrupt
	 */
	public static boolean awaitEnd(ExecutorService workers, Duration timeout) {
		try {
			return workers.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return true;
		}
	}

}
