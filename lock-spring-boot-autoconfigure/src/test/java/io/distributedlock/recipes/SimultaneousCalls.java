package io.distributedlock.recipes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Calls that begin at the same time, each on a thread of its own.
 */
final class SimultaneousCalls {

	private SimultaneousCalls() {
	}

	/**
	 * Make calls, and wait for their results.
	 * @param number the number of calls
	 * @param call the call with a number from zero
	 * @return the results in the order of these numbers
	 */
	static <T> List<T> of(int number, IntFunction<T> call) throws InterruptedException, ExecutionException {
		CyclicBarrier begin = new CyclicBarrier(number);
		ExecutorService threads = Executors.newFixedThreadPool(number);
		try {
			List<Callable<T>> calls = IntStream.range(0, number).mapToObj((index) -> (Callable<T>) () -> {
				begin.await();
				return call.apply(index);
			}).toList();
			List<Future<T>> results = threads.invokeAll(calls);
			List<T> values = new ArrayList<>();
			for (Future<T> result : results) {
				values.add(result.get());
			}
			return values;
		}
		finally {
			threads.shutdownNow();
		}
	}

}
