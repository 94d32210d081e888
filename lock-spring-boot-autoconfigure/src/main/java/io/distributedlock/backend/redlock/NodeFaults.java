package io.distributedlock.backend.redlock;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.CompletionCauses;

/**
 * Collects the faults of nodes during one operation that explain why a majority can't do
 * it.
 */
final class NodeFaults {

	// All below is guarded by the monitor. The keys are the nodes' indexes.
	private final Map<Integer, NodeRefusedException> refusals = new TreeMap<>();

	private final Map<Integer, UnknownFormatException> unknown = new TreeMap<>();

	/**
	 * Record a fault of a node.
	 * @param node the index of the node
	 * @param fault the fault, if there is one
	 */
	void add(int node, @Nullable Throwable fault) {
		if (fault != null) {
			addCause(node, CompletionCauses.unwrap(fault));
		}
	}

	private synchronized void addCause(int node, Throwable cause) {
		if (cause instanceof NodeRefusedException refused) {
			this.refusals.put(node, refused);
		}
		else if (cause instanceof UnknownFormatException unreadable) {
			this.unknown.put(node, unreadable);
		}
	}

	/**
	 * Return the refusals that last until the node is changed, by the node's index.
	 */
	synchronized Map<Integer, NodeRefusedException> refusals() {
		return new TreeMap<>(this.refusals);
	}

	/**
	 * Return the faults of nodes that store a form which this version does not write, by
	 * the node's index.
	 */
	synchronized Map<Integer, UnknownFormatException> unknown() {
		return new TreeMap<>(this.unknown);
	}

}
