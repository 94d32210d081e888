package io.distributedlock.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Threads that begin at the same time.
 *
 * @param size the number of threads
 */
record Crowd(int size) {

	static Crowd of(int size) {
		return new Crowd(size);
	}

	/**
	 * Run the same action on all threads.
	 * @param action the action, which receives the number of its thread, from zero
	 * @param <T> the type of the results
	 * @return the results, in the order of the threads
	 */
	<T> List<T> map(Action<T> action) {
		ExecutorService threads = Executors.newFixedThreadPool(this.size);
		try {
			CyclicBarrier start = new CyclicBarrier(this.size);
			List<Callable<T>> calls = new ArrayList<>();
			for (int i = 0; i < this.size; i++) {
				int index = i;
				calls.add(() -> {
					start.await(30, TimeUnit.SECONDS);
					return action.run(index);
				});
			}
			List<T> results = new ArrayList<>();
			for (Future<T> future : threads.invokeAll(calls)) {
				results.add(future.get());
			}
			return results;
		}
		catch (Exception ex) {
			throw new AssertionError("A thread of the crowd failed", ex);
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * The action of one of the threads.
	 *
	 * @param <T> the type of its result
	 */
	@FunctionalInterface
	interface Action<T> {

		T run(int index) throws Exception;

	}

}
