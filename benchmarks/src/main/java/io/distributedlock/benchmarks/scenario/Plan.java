package io.distributedlock.benchmarks.scenario;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.Effort;

/**
 * What a run measures.
 *
 * @param effort how long each figure is measured
 * @param threads the numbers of threads
 * @param stores the stores
 * @param progress receives a line for each step
 */
public record Plan(Effort effort, List<Integer> threads, List<Store> stores, Consumer<String> progress) {

	/**
	 * Return a store if it takes part.
	 * @param name its name
	 * @return the store; empty if it was left out
	 */
	public Optional<Store> store(String name) {
		return this.stores.stream().filter((store) -> store.name().equals(name)).findFirst();
	}

}
