package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Releases leases, and gives back what attempts without a grant may have taken. What is
 * asked for while a statement is under way goes into the next one together, so that one
 * connection serves many threads.
 */
final class JdbcReleases {

	private static final int BATCH = 100;

	private final JdbcLockDatabase database;

	private final DedicatedConnectionExecutor executor;

	private final DedicatedConnectionExecutor orphanExecutor;

	private final BackendListener listener;

	private final ConcurrentLinkedQueue<PendingRelease> queue = new ConcurrentLinkedQueue<>();

	// True from before the executor is told to empty the queue until it begins to do so.
	private final AtomicBoolean announced = new AtomicBoolean();

	/**
	 * Create releases.
	 * @param database the database
	 * @param executor for leases that their holders release
	 * @param orphanExecutor for what attempts may have left, which is to keep no release
	 * waiting
	 * @param listener receives which locks other clients wait for
	 */
	JdbcReleases(JdbcLockDatabase database, DedicatedConnectionExecutor executor,
			DedicatedConnectionExecutor orphanExecutor, BackendListener listener) {
		this.database = database;
		this.executor = executor;
		this.orphanExecutor = orphanExecutor;
		this.listener = listener;
	}

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		PendingRelease pending = new PendingRelease(new LeaseRelease(grant, cooldown), this.database.call());
		this.queue.add(pending);
		if (this.announced.compareAndSet(false, true) && !this.executor.execute(this::empty)) {
			this.announced.set(false);
			pending.call().fail(JdbcLockDatabase.closed());
		}
		return pending.call().result();
	}

	private void empty() {
		this.announced.set(false);
		for (List<PendingRelease> batch = next(); !batch.isEmpty(); batch = next()) {
			send(batch);
		}
	}

	private List<PendingRelease> next() {
		List<PendingRelease> batch = new ArrayList<>();
		while (batch.size() < BATCH) {
			PendingRelease pending = this.queue.poll();
			if (pending == null) {
				break;
			}
			batch.add(pending);
		}
		return batch;
	}

	private void send(List<PendingRelease> batch) {
		try {
			PinnedConnection connection = this.executor.connection();
			boolean together = connection.open().table().dialect().has(Dialect.Trait.ARRAYS);
			List<PendingRelease> sent = batch.stream()
				.filter((pending) -> pending.call().send())
				.sorted(PendingRelease.BY_KEY)
				.toList();
			if (together && sent.size() > 1) {
				releaseTogether(connection, sent);
			}
			else {
				sent.forEach((pending) -> releaseAlone(connection, pending));
			}
		}
		catch (SQLException | RuntimeException ex) {
			Throwable fault = this.executor.explain(ex);
			batch.forEach((pending) -> pending.call().fail(fault));
		}
	}

	private void releaseTogether(PinnedConnection connection, List<PendingRelease> batch) throws SQLException {
		List<LeaseRelease> releases = batch.stream().map(PendingRelease::release).toList();
		try {
			// Half of the time is left to the single ones.
			Duration timeout = this.executor.callTimeout().dividedBy(2);
			List<LeaseStatus> stood = connection.run(timeout, (each) -> new LeaseSql(each).releaseTogether(releases));
			for (int i = 0; i < batch.size(); i++) {
				complete(batch.get(i), stood.get(i));
			}
		}
		catch (SQLException | RuntimeException ex) {
			if (!SqlFaults.isRefused(ex)) {
				// A second release could not tell the first one's success from a loss.
				throw ex;
			}
			batch.forEach((pending) -> releaseAlone(connection, pending));
		}
	}

	private void releaseAlone(PinnedConnection connection, PendingRelease pending) {
		try {
			complete(pending, connection.run(this.executor.callTimeout(),
					(each) -> new LeaseSql(each).release(pending.release())));
		}
		catch (SQLException | RuntimeException ex) {
			pending.call().fail(this.executor.explain(ex));
		}
	}

	private void complete(PendingRelease pending, LeaseStatus stood) {
		stood.report(pending.release().grant(), this.listener);
		pending.call().complete(stood.stands());
	}

	CompletionStage<Void> abandon(List<Orphan> orphans) {
		CompletionStage<Integer> asked = this.orphanExecutor.submit((connection) -> {
			CallDeadline deadline = this.database.deadline();
			Exception fault = null;
			for (Orphan orphan : orphans) {
				try {
					connection.run(deadline.left(), (each) -> new LeaseSql(each).abandon(orphan));
				}
				catch (SQLException | RuntimeException ex) {
					// It does not keep the others from being tried.
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
		});
		return asked.thenAccept((number) -> {
		});
	}

	private record PendingRelease(LeaseRelease release, StoreCall<Boolean> call) {

		private static final Comparator<PendingRelease> BY_KEY = Comparator
			.comparing((pending) -> pending.release().grant().target().key());

	}

}
