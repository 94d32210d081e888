package io.distributedlock.contract;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * A thread that makes one call, which may block, while the test lets time pass.
 *
 * @param <T> the type of the result
 */
final class Caller<T> {

	private final CompletableFuture<T> result = new CompletableFuture<>();

	private final Thread thread;

	private volatile long took;

	private volatile boolean interrupted;

	private Caller(Callable<T> call) {
		this.thread = new Thread(() -> run(call), "contract-caller");
		this.thread.setDaemon(true);
	}

	static <T> Caller<T> of(Callable<T> call) {
		Caller<T> caller = new Caller<>(call);
		caller.thread.start();
		return caller;
	}

	private void run(Callable<T> call) {
		long began = System.nanoTime();
		T value = null;
		Throwable failure = null;
		try {
			value = call.call();
		}
		catch (Throwable ex) {
			failure = ex;
		}
		this.took = System.nanoTime() - began;
		this.interrupted = Thread.currentThread().isInterrupted();
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(value);
		}
	}

	void interrupt() {
		this.thread.interrupt();
	}

	CompletableFuture<T> result() {
		return this.result;
	}

	/**
	 * Return how long the call took, in real time.
	 */
	Duration took() {
		return Duration.ofNanos(this.took);
	}

	/**
	 * Return whether the call left the interrupt flag of its thread set.
	 */
	boolean isInterrupted() {
		return this.interrupted;
	}

}
