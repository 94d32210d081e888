package io.distributedlock.backend.redlock;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The counters that were seen on the nodes, of the keys that were used last. Only what
 * was seen of a key moves the proposals for it: one key that is ahead of time must not
 * take all others along. What is forgotten here costs a second round.
 */
final class ObservedCounters {

	private static final int MOST = 4096;

	private final int nodes;

	// Guarded by the monitor.
	private final Map<String, long[]> seen = new LinkedHashMap<>(64, 0.75f, true) {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, long[]> eldest) {
			return size() > MOST;
		}

	};

	ObservedCounters(int nodes) {
		this.nodes = nodes;
	}

	/**
	 * Take note of a counter.
	 */
	synchronized void see(String key, int node, long counter) {
		long[] all = this.seen.computeIfAbsent(key, (absent) -> new long[this.nodes]);
		all[node] = Math.max(all[node], counter);
	}

	/**
	 * Return what is above the counters of at least this many nodes, by what is known.
	 */
	synchronized long above(String key, int quorum) {
		long[] all = this.seen.get(key);
		return (all != null) ? NodeGroup.smallest(quorum, all) + 1 : 0;
	}

}
