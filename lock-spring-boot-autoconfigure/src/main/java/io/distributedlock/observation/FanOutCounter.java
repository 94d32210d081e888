package io.distributedlock.observation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.micrometer.core.instrument.Counter;

/**
 * Increments the same counter of all registries that it is bound to.
 */
final class FanOutCounter {

	private final List<Counter> counters = new CopyOnWriteArrayList<>();

	void add(Counter counter) {
		this.counters.add(counter);
	}

	void increment(int amount) {
		if (amount > 0) {
			this.counters.forEach((counter) -> counter.increment(amount));
		}
	}

}
