package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.LossListener;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Keeps locks as rows of a table in a database that the application has anyway.
 * <p>
 * Only the database's clock decides what has run out. Fencing tokens are microseconds
 * since 1970 or more, and grow strictly per key for as long as the row, or time, has not
 * been set back. Every statement runs on a connection of its own in autocommit, straight
 * from the data source: never in a transaction of the caller. Two connections are
 * borrowed when it starts and kept, for releases and for renewals; attempts borrow one
 * each. On PostgreSQL a third one listens while somebody waits and for a minute after, so
 * that waiters hear of releases; elsewhere they poll, the more seldom the longer the lock
 * has been held, at least once a second. Rows that nobody has used for the retention are
 * deleted.
 *
 * @since 0.1.0
 */
public final class JdbcLockBackend implements LockBackend {

	/**
	 * The name of this backend.
	 */
	public static final String NAME = "jdbc";

	private static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_LOCK, true, false, false, true, false,
			Duration.ofMillis(100), null, 500);

	private final Database database;

	private final JdbcLockSettings settings;

	private final LockClock clock;

	private final CallerThread callerThread;

	// Set by start and stop, which the engine orders; read by everybody else.
	private volatile @Nullable Operation operation;

	/**
	 * Create a backend.
	 * @param dataSource where its connections come from; a proxy that takes part in
	 * transactions is looked through
	 * @param settings how it keeps its locks
	 * @param clock the clock of this JVM
	 */
	public JdbcLockBackend(DataSource dataSource, JdbcLockSettings settings, LockClock clock) {
		this.database = new Database(dataSource, settings);
		this.settings = settings;
		this.clock = clock;
		this.callerThread = new CallerThread(this.database);
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public synchronized void start(LossListener losses) {
		if (this.operation == null) {
			this.operation = Operation.start(this.database, this.settings, losses, this.clock);
		}
	}

	@Override
	public synchronized void stop() {
		Operation current = this.operation;
		this.operation = null;
		if (current != null) {
			current.stop(this.settings.callTimeout());
		}
	}

	private Operation operation() {
		Operation current = this.operation;
		if (current == null) {
			throw Lane.stopped();
		}
		return current;
	}

	private <T> CompletionStage<T> operating(Function<Operation, CompletionStage<T>> call) {
		Operation current = this.operation;
		return (current != null) ? call.apply(current) : CompletableFuture.failedFuture(Lane.stopped());
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		return new JdbcContender(target, wakeUp, this.database, this.callerThread, this::operation, this.clock);
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return operating((current) -> current.renewals().renew(renewals));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		return operating((current) -> current.releases().release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		return operating((current) -> current.renewals().abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return inspect((connection) -> connection.table().inspect().find(connection, key))
			.thenApply((infos) -> infos.stream().findFirst());
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return inspect((connection) -> connection.table().inspect().list(connection));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key) {
		return inspect((connection) -> connection.table().inspect().forceRelease(connection, key));
	}

	private <T> CompletionStage<T> inspect(KeptConnection.LaneWork<T> work) {
		Deadline deadline = Deadline.in(this.settings.callTimeout(), this.clock);
		PendingCall<T> call = new PendingCall<T>().within(this.settings.callTimeout(), this.clock);
		try {
			operation().workers().execute(() -> inspect(call, work, deadline));
		}
		catch (RejectedExecutionException | LockUnavailableException ex) {
			call.fail(Lane.stopped());
		}
		return call.result();
	}

	private <T> void inspect(PendingCall<T> call, KeptConnection.LaneWork<T> work, Deadline deadline) {
		if (!call.isQueued()) {
			return;
		}
		try (LockConnection connection = this.database.borrow()) {
			if (call.send()) {
				connection.bound(deadline.left());
				call.complete(Retries.run(deadline, () -> work.run(connection)));
			}
		}
		catch (SQLException | RuntimeException ex) {
			call.fail(this.database.explain(ex));
		}
	}

}
