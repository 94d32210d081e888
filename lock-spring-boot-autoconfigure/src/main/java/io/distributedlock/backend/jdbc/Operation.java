package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.ThreadPoolExecutor;

import io.distributedlock.spi.LockClock;

/**
 * What is there between start and stop: workers and kept connections.
 *
 * @param workers make attempts
 * @param releaseLane the lane of the releases
 * @param releases releases leases
 * @param renewalLane the lane of the renewals
 * @param renewals renews leases
 */
record Operation(ThreadPoolExecutor workers, Lane releaseLane, Releases releases, Lane renewalLane, Renewals renewals) {

	/**
	 * As many as a pool of the usual ten connections has left beside the kept ones.
	 */
	private static final int WORKERS = 8;

	static Operation start(Database database, Duration callTimeout, LockClock clock) {
		Lane releaseLane = new Lane("lock-jdbc-release", database, callTimeout, clock);
		Lane renewalLane = new Lane("lock-jdbc-renewal", database, callTimeout, clock);
		releaseLane.open();
		renewalLane.open();
		return new Operation(LockThreads.named("lock-jdbc", WORKERS), releaseLane, new Releases(releaseLane),
				renewalLane, new Renewals(renewalLane, clock));
	}

	/**
	 * Refuse what comes, end what is under way, give the connections back.
	 * @param timeout how long to wait for each
	 */
	void stop(Duration timeout) {
		this.workers.shutdown();
		this.releaseLane.close();
		this.renewalLane.close();
		Lane.awaitEnd(this.workers, timeout);
		this.releaseLane.awaitEnd(timeout);
		this.renewalLane.awaitEnd(timeout);
	}

}
