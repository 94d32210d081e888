package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;

/**
 * Releases leases. Releases that are requested while a statement runs form the next
 * batch, so that one connection serves many threads.
 */
final class JdbcReleases {

	private static final int BATCH = 100;

	private final JdbcLockDatabase database;

	private final CallerConnections callers;

	private final DedicatedConnectionExecutor executor;

	private final BackendListener listener;

	private final BlockingQueue<LeaseRelease> queue = new LinkedBlockingQueue<>();

	// True from before the executor receives the task that empties the queue until that
	// task begins.
	private final AtomicBoolean announced = new AtomicBoolean();

	/**
	 * Create releases.
	 * @param database the database
	 * @param callers connections for callers that are prepared to block
	 * @param executor for leases that their holders release
	 * @param listener receives which locks other clients wait for
	 */
	JdbcReleases(JdbcLockDatabase database, CallerConnections callers, DedicatedConnectionExecutor executor,
			BackendListener listener) {
		this.database = database;
		this.callers = callers;
		this.executor = executor;
		this.listener = listener;
	}

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown, Duration patience) {
		// A release does not wait for a connection, because it joins a group otherwise.
		LockConnection kept = (patience.isZero() || isForExecutor(grant)) ? null
				: this.callers.take(patience, patience, Duration.ZERO);
		if (kept != null) {
			LeaseRelease release = new LeaseRelease(grant, cooldown, this.database.untimedCall(patience));
			releaseHere(release, kept);
			return release.call().result();
		}
		LeaseRelease release = new LeaseRelease(grant, cooldown, this.database.call());
		this.queue.add(release);
		if (this.announced.compareAndSet(false, true) && !this.executor.execute(this::empty)) {
			this.announced.set(false);
			release.call().fail(JdbcLockDatabase.closed());
		}
		return release.call().result();
	}

	/**
	 * Return whether the release opens a transaction. Nothing but the store may then
	 * interrupt or delay the thread.
	 */
	private boolean isForExecutor(LeaseGrant grant) {
		Dialect dialect = this.database.dialect();
		return grant.target().isGroup() && (dialect == null || dialect.opensTransactions());
	}

	/**
	 * Release on the caller's thread. The socket timeout bounds it.
	 */
	private void releaseHere(LeaseRelease release, LockConnection connection) {
		boolean fit = false;
		try {
			release.call().send();
			connection.timeouts().boundBy(release.call().deadline(), true);
			LeaseStatus stood = connection.run(release.call().deadline(),
					(current) -> new LeaseSql(current).release(release));
			fit = true;
			complete(release, stood);
		}
		catch (SQLException | RuntimeException ex) {
			if (SqlFaults.isSilence(ex)) {
				this.executor.probe();
			}
			release.call().fail(explain(ex, release));
		}
		finally {
			this.callers.giveBack(connection, fit);
		}
	}

	private void empty() {
		this.announced.set(false);
		List<LeaseRelease> batch = new ArrayList<>();
		while (this.queue.drainTo(batch, BATCH) > 0) {
			send(batch);
			batch.clear();
		}
	}

	private void send(List<LeaseRelease> batch) {
		try {
			boolean together = this.executor.connection().table().dialect().has(Dialect.Trait.ARRAYS);
			List<LeaseRelease> sent = batch.stream()
				.filter((release) -> release.call().send())
				.sorted(LeaseRelease.BY_KEY)
				.toList();
			List<LeaseRelease> exclusive = sent.stream()
				.filter((release) -> !release.grant().target().isGroup())
				.toList();
			if (together && exclusive.size() > 1) {
				releaseTogether(exclusive);
			}
			else {
				exclusive.forEach(this::releaseAlone);
			}
			sent.stream().filter((release) -> release.grant().target().isGroup()).forEach(this::releaseAlone);
		}
		catch (SQLException | RuntimeException ex) {
			batch.forEach((release) -> release.call().fail(explain(ex, release)));
		}
	}

	private void releaseTogether(List<LeaseRelease> releases) throws SQLException {
		try {
			// Half of the time is left for single releases.
			List<LeaseStatus> stood = this.executor.run(this.database.callTimeout().dividedBy(2),
					(connection) -> new LeaseSql(connection).releaseTogether(releases));
			for (int i = 0; i < releases.size(); i++) {
				complete(releases.get(i), stood.get(i));
			}
		}
		catch (SQLException | RuntimeException ex) {
			if (!SqlFaults.isRefused(ex)) {
				// A second release could not distinguish the success of the first one
				// from a loss.
				throw ex;
			}
			releases.forEach(this::releaseAlone);
		}
	}

	private void releaseAlone(LeaseRelease release) {
		try {
			complete(release, this.executor.run(this.database.callTimeout(),
					(connection) -> new LeaseSql(connection).release(release)));
		}
		catch (SQLException | RuntimeException ex) {
			release.call().fail(explain(ex, release));
		}
	}

	private void complete(LeaseRelease release, LeaseStatus stood) {
		stood.report(release.grant(), this.listener);
		release.call().complete(stood.stands());
	}

	private Throwable explain(Exception fault, LeaseRelease release) {
		return this.database.explain(fault, TableAccess.changing(release.grant().target()));
	}

}
