package io.distributedlock.backend.redlock;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Remembers the counters that nodes have reported, for the most recently used keys.
 * Proposals for a key follow its own counters only, so one key that is ahead of time does
 * not take all others along. A forgotten counter costs a second round.
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
	 * Record a counter.
	 */
	synchronized void see(String key, int node, long counter) {
		long[] all = this.seen.computeIfAbsent(key, (absent) -> new long[this.nodes]);
		all[node] = Math.max(all[node], counter);
	}

	/**
	 * Return a token above the known counters of each key at at least this many nodes, or
	 * zero if no key is known.
	 */
	synchronized long above(List<String> keys, int quorum) {
		long above = 0;
		for (String key : keys) {
			long[] all = this.seen.get(key);
			if (all != null) {
				above = Math.max(above, NodeGroup.smallest(quorum, all) + 1);
			}
		}
		return above;
	}

}
