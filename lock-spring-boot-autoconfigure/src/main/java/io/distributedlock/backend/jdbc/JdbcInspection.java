package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.distributedlock.LockInfo;
import io.distributedlock.backend.call.StoreCall;

/**
 * Looks at locks, on connections of the pool.
 */
final class JdbcInspection {

	private final JdbcLockDatabase database;

	private final Executor workers;

	JdbcInspection(JdbcLockDatabase database, Executor workers) {
		this.database = database;
		this.workers = workers;
	}

	CompletionStage<Optional<LockInfo>> find(String key) {
		return inspect(TableAccess.READ, (connection) -> connection.table().inspect().find(connection, key))
			.thenApply((infos) -> infos.stream().findFirst());
	}

	CompletionStage<List<LockInfo>> list() {
		return inspect(TableAccess.READ, (connection) -> connection.table().inspect().list(connection));
	}

	CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		return inspect(TableAccess.CHANGE,
				(connection) -> connection.table().inspect().forceRelease(connection, key, cooldown));
	}

	private <T> CompletionStage<T> inspect(TableAccess access, SqlFunction<LockConnection, T> work) {
		StoreCall<T> call = this.database.call();
		try {
			this.workers.execute(() -> inspect(call, access, work));
		}
		catch (RejectedExecutionException ex) {
			call.fail(DedicatedConnectionExecutor.stopped());
		}
		return call.result();
	}

	private <T> void inspect(StoreCall<T> call, TableAccess access, SqlFunction<LockConnection, T> work) {
		if (!call.isQueued()) {
			return;
		}
		try (LockConnection connection = this.database.borrow()) {
			if (call.send()) {
				connection.bound(call.deadline().left());
				call.complete(connection.run(call.deadline(), work));
			}
		}
		catch (SQLException | RuntimeException ex) {
			call.fail(this.database.explain(ex, access));
		}
	}

}
