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
		return List.of(new DistinctKeys(), new HotKey(), new AsynchronousCalls(), new AnnotationOverhead(),
				new SlowNode(), new HotKeyAcrossJvms(), new Renewals(), new MemoryUse(), new StartupCost());
	}

	/**
	 * Return the scenarios of a quick run, which takes about five minutes.
	 * @return in the order in which they run
	 */
	public static List<Scenario> quick() {
		return List.of(new DistinctKeys(), new HotKey());
	}

}
