package io.distributedlock.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that run callers' code: futures, asynchronous bodies and listeners never
 * run inside the engine. Losses have threads of their own, so that a body that blocks
 * keeps nobody from learning that a lease is gone. Daemon threads, ended when idle.
 */
final class EngineThreads {

	private final Executor callbacks = pool("lock-callback");

	private final Executor losses = pool("lock-loss");

	private static Executor pool(String name) {
		int size = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
		ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				named(name));
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	static ThreadFactory named(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	Executor callbacks() {
		return this.callbacks;
	}

	Executor losses() {
		return this.losses;
	}

}
