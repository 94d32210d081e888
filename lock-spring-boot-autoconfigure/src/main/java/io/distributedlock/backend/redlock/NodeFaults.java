package io.distributedlock.backend.redlock;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.CompletionCauses;

/**
 * What nodes have failed with during one operation, as far as it says why a majority
 * can't do it.
 */
final class NodeFaults {

	// All is guarded by the monitor, and by the node's index.
	private final Map<Integer, NodeRefusedException> refusals = new TreeMap<>();

	private final Map<Integer, UnknownFormatException> unknown = new TreeMap<>();

	/**
	 * Take note of what a node has failed with.
	 * @param node the index of the node
	 * @param fault the fault, if there is one
	 */
	synchronized void add(int node, @Nullable Throwable fault) {
		Throwable cause = (fault != null) ? CompletionCauses.unwrap(fault) : null;
		if (cause instanceof NodeRefusedException refused) {
			this.refusals.put(node, refused);
		}
		else if (cause instanceof UnknownFormatException unreadable) {
			this.unknown.put(node, unreadable);
		}
	}

	/**
	 * Return the nodes that refuse something for good, and what.
	 */
	synchronized Map<Integer, NodeRefusedException> refusals() {
		return new TreeMap<>(this.refusals);
	}

	/**
	 * Return the nodes at which something stands that is not understood.
	 */
	synchronized Map<Integer, UnknownFormatException> unknown() {
		return new TreeMap<>(this.unknown);
	}

}
