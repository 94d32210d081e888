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
 * @param claims the attempts and leases of this client
 * @param signals tells waiters of releases
 * @param releases releases leases
 * @param renewals renews leases
 * @param inspection looks at locks
 */
record Operation(Nodes nodes, Counters counters, Claims claims, Signals signals, Releases releases, Renewals renewals,
		Inspection inspection) implements StoreOperation {

	static Operation start(List<? extends RedlockNode> opened, RedlockSettings settings, LockClock clock,
			Randoms randoms, RedlockListener listener, BackendListener losses) {
		Nodes nodes = new Nodes(opened, settings, clock, randoms, listener);
		Claims claims = new Claims(nodes, losses);
		Operation operation = new Operation(nodes, new Counters(nodes.size()), claims, new Signals(nodes),
				new Releases(nodes, claims), new Renewals(nodes, claims), new Inspection(nodes));
		nodes.open();
		return operation;
	}

	/**
	 * Refuse what comes, end what is under way, close the connections.
	 */
	void stop() {
		this.signals.close();
		this.claims.close();
		this.nodes.close();
	}

}
