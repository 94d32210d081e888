package io.distributedlock.backend;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that wait for a store if its driver blocks. They end while there is nothing
 * to do, and keep no JVM alive. They are never interrupted: there are databases that
 * close their files then. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class StoreThreads {

	private StoreThreads() {
	}

	/**
	 * Create workers.
	 * @param name what their names begin with
	 * @param most how many there are at most; one runs its tasks in their order
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
	 * Wait until workers that were shut down have ended, unless the calling thread is
	 * interrupted.
	 * @param workers the workers
	 * @param timeout how long to wait at most
	 * @return {@code false} if a task is still under way after that time
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
