package io.distributedlock.backend.redlock;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Records which server each node is, so that a server listed under two addresses has one
 * vote. A node owns its server's {@code run_id} only while its connection is open. What
 * an ended connection reported excludes no other node.
 */
final class KnownServers {

	// Guarded by the monitor.
	private final Map<String, NodeLink> byRunId = new HashMap<>();

	/**
	 * Record that a node is this server.
	 * @param link the node
	 * @param runId the server's {@code run_id}
	 * @return another node that already owns this server, and keeps it
	 */
	synchronized Optional<NodeLink> claim(NodeLink link, String runId) {
		forget(link);
		NodeLink owner = this.byRunId.putIfAbsent(runId, link);
		return Optional.ofNullable(owner);
	}

	/**
	 * Forget which server a node is.
	 */
	synchronized void forget(NodeLink link) {
		this.byRunId.values().removeIf((owner) -> owner == link);
	}

}
