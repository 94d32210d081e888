package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadPoolExecutor;

import io.distributedlock.backend.StoreOperation;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LockClock;

/**
 * What is there between start and stop: workers and kept connections.
 *
 * @param workers make attempts
 * @param recent the connection of the latest attempt
 * @param releaseLane the lane of the releases
 * @param releases releases leases
 * @param renewalLane the lane of the renewals
 * @param renewals renews leases
 * @param inspection looks at locks
 * @param signals tells waiters of releases
 * @param polling polls for many waiters together
 * @param janitor forgets locks that nobody uses
 */
record Operation(ThreadPoolExecutor workers, RecentConnection recent, Lane releaseLane, Releases releases,
		Lane renewalLane, Renewals renewals, Inspection inspection, Signals signals, CrowdPolling polling,
		Janitor janitor) implements StoreOperation {

	/**
	 * As many as a pool of the usual ten connections has left beside the kept ones.
	 */
	private static final int WORKERS = 8;

	static Operation start(Database database, JdbcLockSettings settings, BackendListener news, LockClock clock) {
		Lane releaseLane = new Lane("lock-jdbc-release", database, clock);
		Lane renewalLane = new Lane("lock-jdbc-renewal", database, clock);
		releaseLane.open();
		renewalLane.open();
		boolean signalling = PostgresDriver.PRESENT && settings.notifications() == JdbcLockSettings.Notifications.AUTO;
		Signals signals = new Signals(() -> PostgresEar.open(database, renewalLane, clock), signalling, clock);
		database.notices().onRefusal(signals::listenAnew);
		ThreadPoolExecutor workers = LockThreads.named("lock-jdbc", WORKERS);
		Janitor janitor = new Janitor(database, settings, workers, clock);
		janitor.schedule();
		return new Operation(workers, new RecentConnection(workers, clock), releaseLane,
				new Releases(database, releaseLane, renewalLane, news), renewalLane,
				new Renewals(renewalLane, news, clock), new Inspection(database, workers), signals,
				new CrowdPolling(database, workers, settings.callTimeout(), clock), janitor);
	}

	/**
	 * Find out whether releases wake waiters.
	 * @param database the database
	 * @return whether they do
	 */
	CompletionStage<Boolean> wakesContenders(Database database) {
		Dialect dialect = database.dialect();
		if (dialect != null && !dialect.has(Dialect.Trait.NOTIFICATIONS)) {
			return CompletableFuture.completedFuture(false);
		}
		StoreCall<Boolean> call = database.call();
		this.signals.whetherHeard().thenAccept(call::complete);
		return call.result();
	}

	/**
	 * Refuse what comes, end what is under way, give the connections back.
	 * @param timeout how long to wait for each
	 */
	void stop(Duration timeout) {
		this.janitor.close();
		this.signals.close();
		this.polling.close();
		this.recent.close();
		this.workers.shutdown();
		this.releaseLane.close();
		this.renewalLane.close();
		this.signals.awaitEnd(timeout);
		Lane.awaitEnd(this.workers, timeout);
		this.releaseLane.awaitEnd(timeout);
		this.renewalLane.awaitEnd(timeout);
	}

}
