package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadPoolExecutor;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

/**
 * Stores locks in a database until it is closed. Its workers borrow connections from the
 * pool. Two more connections are borrowed once and kept.
 */
final class JdbcStoreConnection implements BackendConnection {

	/**
	 * As many as the two kept connections leave in a pool of the usual ten.
	 */
	private static final int WORKERS = 8;

	private final JdbcLockDatabase database;

	private final ThreadPoolExecutor workers = StoreThreads.named("lock-jdbc", WORKERS);

	private final ThreadPoolExecutor returns = StoreThreads.named("lock-jdbc-return", 1);

	private final CallerConnections callers;

	private final DedicatedConnectionExecutor releaseExecutor;

	private final DedicatedConnectionExecutor renewalExecutor;

	private final JdbcReleases releases;

	private final JdbcRenewals renewals;

	private final PostgresNotifications notifications;

	private final CrowdPolling polling;

	private final JdbcJanitor janitor;

	/**
	 * Connect in the background.
	 * @param database the database
	 * @param listener receives which leases other clients wait for
	 */
	JdbcStoreConnection(JdbcLockDatabase database, BackendListener listener) {
		this.database = database;
		this.callers = new CallerConnections(this.returns, database.clock(), database.demand());
		this.releaseExecutor = new DedicatedConnectionExecutor("lock-jdbc-release", database);
		this.renewalExecutor = new DedicatedConnectionExecutor("lock-jdbc-renewal", database);
		this.releases = new JdbcReleases(database, this.callers, this.releaseExecutor, listener);
		this.renewals = new JdbcRenewals(database, this.renewalExecutor, listener);
		this.notifications = new PostgresNotifications(() -> PostgresListener.open(database, this.renewalExecutor),
				PostgresDriver.PRESENT && database.settings().notifications() == JdbcLockSettings.Notifications.AUTO,
				database.clock());
		this.polling = new CrowdPolling(database, this.workers);
		this.janitor = new JdbcJanitor(database, this.workers);
		this.releaseExecutor.open();
		this.renewalExecutor.open();
		database.notices().onRefusal(this.notifications::resubscribe);
		this.janitor.schedule();
	}

	@Override
	public BackendTraits traits() {
		return JdbcLockBackend.TRAITS;
	}

	/**
	 * Return how several keys are granted. That is not known before the first connection.
	 * Until then they are taken one by one, which is safe beside the other way.
	 */
	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		Dialect dialect = this.database.dialect();
		return (dialect != null && dialect.takesSeveral() && !target.isGroup()) ? SeveralKeys.AT_ONCE
				: SeveralKeys.ONE_BY_ONE;
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		if (severalKeys(target) == SeveralKeys.ONE_BY_ONE) {
			target.requireOneKey(JdbcLockBackend.NAME);
		}
		return new JdbcContender(target, new JdbcWakeUp(target.keys(), wakeUp, this.notifications, this.polling),
				this.database, this.workers, this.callers, this.renewalExecutor);
	}

	@Override
	public CompletionStage<Boolean> wakesContenders(LockTarget target) {
		Dialect dialect = this.database.dialect();
		if (dialect != null && !dialect.has(Dialect.Trait.NOTIFICATIONS)) {
			return CompletableFuture.completedFuture(false);
		}
		return this.notifications.wakeWaiters(this.database.callTimeout());
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return this.renewals.renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return release(grant, cooldown, Duration.ZERO);
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown, Duration patience) {
		return this.releases.release(grant, cooldown, patience);
	}

	/**
	 * Release what attempts may have taken. This uses the connection of the renewals, so
	 * that no release has to wait.
	 */
	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return this.renewalExecutor.submit((executor) -> {
			CallDeadline deadline = this.database.deadline();
			Exception fault = null;
			for (Orphan orphan : orphans) {
				try {
					executor.run(deadline.left(), (connection) -> new LeaseSql(connection).abandon(orphan));
				}
				catch (SQLException | RuntimeException ex) {
					// The other ones are abandoned nevertheless.
					fault = (fault != null) ? fault : ex;
				}
			}
			if (fault instanceof SQLException ex) {
				throw ex;
			}
			if (fault instanceof RuntimeException ex) {
				throw ex;
			}
			return orphans.size();
		}).thenAccept((number) -> {
		});
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return run(TableAccess.READ, (connection) -> new InspectSql(connection).find(key));
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		return run(TableAccess.READ, (connection) -> new InspectSql(connection).list(next, limit));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return run(TableAccess.CHANGE, (connection) -> new InspectSql(connection).forceRelease(key, cooldown));
	}

	private <T> CompletionStage<T> run(TableAccess access, SqlFunction<LockConnection, T> work) {
		return this.database.call(this.workers, access, (call) -> {
			try (LockConnection connection = this.database.borrow()) {
				if (!call.send()) {
					return false;
				}
				connection.timeouts().bound(call.deadline().left());
				return call.complete(connection.run(call.deadline(), work));
			}
		});
	}

	/**
	 * Reject new calls, finish the running ones, and return the connections. Waits for
	 * each executor, for the call timeout at most.
	 */
	@Override
	public void close() {
		Duration timeout = this.database.callTimeout();
		this.janitor.close();
		this.notifications.close();
		this.polling.close();
		this.callers.close();
		this.returns.shutdown();
		this.workers.shutdown();
		this.releaseExecutor.close();
		this.renewalExecutor.close();
		this.notifications.awaitEnd(timeout);
		DedicatedConnectionExecutor.awaitEnd(this.workers, timeout);
		DedicatedConnectionExecutor.awaitEnd(this.returns, timeout);
		this.releaseExecutor.awaitEnd(timeout);
		this.renewalExecutor.awaitEnd(timeout);
	}

}
