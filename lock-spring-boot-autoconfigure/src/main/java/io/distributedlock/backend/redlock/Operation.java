package io.distributedlock.backend.redlock;

import java.util.List;

import io.distributedlock.backend.StoreOperation;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LockClock;

/**
 * What is there between start and stop.
 *
 * @param nodes the nodes
 * @param counters the counters that were seen
 * @param outstanding the attempts and leases of this client
 * @param notifications wake waiters after releases
 * @param releases releases leases
 * @param renewals renews leases
 * @param inspection looks at locks
 */
record Operation(NodeGroup nodes, ObservedCounters counters, OutstandingAttempts outstanding,
		RedlockNotifications notifications, RedlockReleases releases, RedlockRenewals renewals,
		RedlockInspection inspection) implements StoreOperation {

	static Operation start(List<? extends RedlockNode> opened, RedlockSettings settings, LockClock clock,
			RandomSource random, RedlockListener listener, BackendListener losses) {
		NodeGroup nodes = new NodeGroup(opened, settings, clock, random, listener);
		OutstandingAttempts outstanding = new OutstandingAttempts(nodes, losses);
		Operation operation = new Operation(nodes, new ObservedCounters(nodes.size()), outstanding,
				new RedlockNotifications(nodes), new RedlockReleases(nodes, outstanding),
				new RedlockRenewals(nodes, outstanding), new RedlockInspection(nodes));
		nodes.open();
		return operation;
	}

	/**
	 * Refuse what comes, end what is under way, close the connections.
	 */
	void stop() {
		this.notifications.close();
		this.outstanding.close();
		this.nodes.close();
	}

}
