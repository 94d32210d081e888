package io.distributedlock.backend.redlock;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Knows which server each node has turned out to be, so that a server that is listed
 * under two addresses has one vote. A node owns its server's {@code run_id} while its
 * connection is open, and no longer: what a connection said that has ended keeps nobody
 * out.
 */
final class KnownServers {

	// Guarded by the monitor.
	private final Map<String, NodeLink> byRunId = new HashMap<>();

	/**
	 * Take note that a node is this server.
	 * @param link the node
	 * @param runId the server's {@code run_id}
	 * @return another node that is this server by what was known so far; the server stays
	 * that node's
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
