package io.distributedlock.benchmarks.scenario;

import java.util.List;

/**
 * All scenarios.
 */
public final class Scenarios {

	private Scenarios() {
	}

	/**
	 * Return all scenarios.
	 * @return in the order in which they run
	 */
	public static List<Scenario> all() {
		return List.of(new DistinctKeys(), new HotKey(), new HotKeyAcrossJvms(), new AsynchronousCalls(),
				new SlowNode(), new StoreDown(), new InjectedDelay(), new Growth(), new Renewals(), new MemoryUse(),
				new AnnotationOverhead(), new StartupCost(), new ServerCost());
	}

	/**
	 * Return the scenarios of a quick run, which takes about five minutes.
	 * @return in the order in which they run
	 */
	public static List<Scenario> quick() {
		return List.of(new DistinctKeys(), new HotKey());
	}

}
