package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.distributedlock.LockInfo;
import io.distributedlock.backend.LockInspection;
import io.distributedlock.spi.LockClock;

/**
 * Looks at locks, on connections of the pool.
 */
final class Inspection implements LockInspection {

	private final Database database;

	private final Executor workers;

	private final Duration callTimeout;

	private final LockClock clock;

	Inspection(Database database, Executor workers, Duration callTimeout, LockClock clock) {
		this.database = database;
		this.workers = workers;
		this.callTimeout = callTimeout;
		this.clock = clock;
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return inspect(TableAccess.READ, (connection) -> connection.table().inspect().find(connection, key))
			.thenApply((infos) -> infos.stream().findFirst());
	}

	@Override
	public CompletionStage<List<LockInfo>> list() {
		return inspect(TableAccess.READ, (connection) -> connection.table().inspect().list(connection));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return inspect(TableAccess.CHANGE,
				(connection) -> connection.table().inspect().forceRelease(connection, key, cooldown));
	}

	private <T> CompletionStage<T> inspect(TableAccess access, SqlFunction<LockConnection, T> work) {
		Deadline deadline = Deadline.in(this.callTimeout, this.clock);
		PendingCall<T> call = new PendingCall<T>().within(this.callTimeout, this.clock);
		try {
			this.workers.execute(() -> inspect(call, access, work, deadline));
		}
		catch (RejectedExecutionException ex) {
			call.fail(Lane.stopped());
		}
		return call.result();
	}

	private <T> void inspect(PendingCall<T> call, TableAccess access, SqlFunction<LockConnection, T> work,
			Deadline deadline) {
		if (!call.isQueued()) {
			return;
		}
		try (LockConnection connection = this.database.borrow()) {
			if (call.send()) {
				connection.bound(deadline.left());
				call.complete(run(connection, work, deadline));
			}
		}
		catch (SQLException | RuntimeException ex) {
			call.fail(this.database.explain(ex, access));
		}
	}

	private static <T> T run(LockConnection connection, SqlFunction<LockConnection, T> work, Deadline deadline)
			throws SQLException {
		try {
			return Retries.run(deadline, () -> work.apply(connection));
		}
		catch (SQLException | RuntimeException ex) {
			connection.ended(ex);
			throw ex;
		}
	}

}
