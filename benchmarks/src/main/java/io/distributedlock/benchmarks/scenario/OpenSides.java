package io.distributedlock.benchmarks.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.AsynchronousSide;
import io.distributedlock.benchmarks.contest.Contestant;
import io.distributedlock.benchmarks.contest.Side;
import io.distributedlock.benchmarks.contest.Store;
import io.distributedlock.benchmarks.measure.AsynchronousLoad;
import io.distributedlock.benchmarks.measure.Comparison;
import io.distributedlock.benchmarks.measure.Effort;
import io.distributedlock.benchmarks.measure.Load;
import io.distributedlock.benchmarks.measure.PairsLoad;
import io.distributedlock.benchmarks.measure.Rounds;

/**
 * All contestants of a store, connected to it.
 *
 * @param sides the side of each contestant
 */
record OpenSides(Map<Contestant, Side> sides) implements AutoCloseable {

	/**
	 * Connect all contestants of a store.
	 * @param store the store
	 * @param address where it listens
	 * @return the sides, to be closed by the caller
	 */
	static OpenSides of(Store store, Address address) {
		OpenSides opened = new OpenSides(new LinkedHashMap<>());
		try {
			for (Contestant contestant : store.contestants()) {
				opened.sides.put(contestant, contestant.open(address));
			}
			return opened;
		}
		catch (Throwable ex) {
			opened.close();
			throw ex;
		}
	}

	Set<Contestant> contestants() {
		return this.sides.keySet();
	}

	/**
	 * Compare the sides, with a key of its own for each thread.
	 */
	Comparison compareDistinctKeys(Effort effort, int threads) throws Exception {
		Map<String, Load> loads = new LinkedHashMap<>();
		this.sides.forEach((contestant, side) -> loads.put(contestant.name(), PairsLoad.distinct(side, threads)));
		return Rounds.run(effort, loads);
	}

	/**
	 * Return those that can lock without a thread that waits.
	 */
	List<Contestant> asynchronous() {
		return this.sides.entrySet()
			.stream()
			.filter((side) -> side.getValue() instanceof AsynchronousSide)
			.map(Map.Entry::getKey)
			.toList();
	}

	/**
	 * Compare the sides that can lock without a thread that waits.
	 */
	Comparison compareAsynchronous(Effort effort, int inFlight) throws Exception {
		Map<String, Load> loads = new LinkedHashMap<>();
		this.sides.forEach((contestant, side) -> {
			if (side instanceof AsynchronousSide asynchronous) {
				loads.put(contestant.name(), new AsynchronousLoad(asynchronous, inFlight));
			}
		});
		return Rounds.run(effort, loads);
	}

	@Override
	public void close() {
		this.sides.values().forEach(Side::close);
	}

}
