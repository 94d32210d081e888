package io.distributedlock.backend.jdbc;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that wait for the database. They end while there is nothing to do, and keep
 * no JVM alive. They are never interrupted: there are databases that close their files
 * then.
 */
final class JdbcThreads {

	private JdbcThreads() {
	}

	/**
	 * Create workers.
	 * @param name what their names begin with
	 * @param most how many there are at most; one runs its tasks in their order
	 * @return the workers
	 */
	static ThreadPoolExecutor named(String name, int most) {
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

}
