package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that wait for Redis where a driver blocks. They end while there is nothing
 * to do, and keep no JVM alive.
 */
final class RedisThreads {

	private RedisThreads() {
	}

	/**
	 * Create workers.
	 * @param name what their names begin with
	 * @param most how many there are at most
	 * @return the workers
	 */
	static ExecutorService named(String name, int most) {
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
	 * Wait until workers that were shut down have ended.
	 * @param workers the workers
	 * @param timeout how long to wait
	 */
	static void awaitEnd(ExecutorService workers, Duration timeout) {
		try {
			workers.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
