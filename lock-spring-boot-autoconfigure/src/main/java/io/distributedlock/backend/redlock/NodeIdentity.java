package io.distributedlock.backend.redlock;

import java.util.Optional;

/**
 * The identity of a node, as INFO reports it.
 * <p>
 * Public only because the package of the driver uses it.
 *
 * @param runId {@code run_id}, which changes with each start of the process
 * @param replicationId {@code master_replid}, which also changes when a primary is made a
 * replica and a primary again: it loses its locks, but keeps its {@code run_id}
 * @param replica whether its {@code role} is not {@code master}
 * @param replicas {@code connected_slaves}
 * @param evicting whether it has {@code maxmemory} with another policy than
 * {@code noeviction}
 * @since 0.1.0
 */
public record NodeIdentity(String runId, String replicationId, boolean replica, int replicas, boolean evicting) {

	/**
	 * Return a text that changes whenever the node may have forgotten its data.
	 */
	String incarnation() {
		return this.runId + "." + this.replicationId;
	}

	/**
	 * Return why a node with this identity can't vote, or empty if it can.
	 */
	Optional<String> refusal() {
		if (this.replica) {
			return Optional.of("it is a replica");
		}
		if (this.replicas > 0) {
			return Optional.of("it has replicas, and could be replaced by one that lacks its latest locks");
		}
		if (this.evicting) {
			return Optional.of("it has maxmemory with another policy than noeviction, and could evict locks");
		}
		return Optional.empty();
	}

}
