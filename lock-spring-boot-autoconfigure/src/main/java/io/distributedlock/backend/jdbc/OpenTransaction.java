package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A transaction of several statements. Its first statement gets the lock on a row. From
 * then on other clients wait for this one, so it is not continued after a pause.
 * <p>
 * A database that lets a session limit the idle time of its own transactions gets such a
 * limit, in case this client vanishes.
 */
final class OpenTransaction {

	/**
	 * How long the client may take between the answer of one statement and the next
	 * statement. It needs microseconds unless its JVM or its machine is paused.
	 */
	private static final Duration PAUSE = Duration.ofMillis(100);

	private static final SqlStatement ROLLBACK = SqlStatement.parse("ROLLBACK");

	private final LockConnection connection;

	private @Nullable Long answeredAt;

	OpenTransaction(LockConnection connection) {
		this.connection = connection;
	}

	void begin() throws SQLException {
		if (limitsIdleTime()) {
			this.connection.update(statement("begin"), Map.of());
		}
		else {
			this.connection.connection().setAutoCommit(false);
		}
	}

	boolean update(String name, Map<String, @Nullable Object> values) throws SQLException {
		requireNoPause();
		boolean changed = this.connection.update(statement(name), values);
		answered();
		return changed;
	}

	@Nullable Long token(String name, Map<String, @Nullable Object> values) throws SQLException {
		requireNoPause();
		Long token = new TokenSql(this.connection).token(statement(name), values);
		answered();
		return token;
	}

	<T> @Nullable T queryFirst(String name, Map<String, @Nullable Object> values, SqlFunction<ResultSet, T> mapper)
			throws SQLException {
		requireNoPause();
		T row = this.connection.queryFirst(statement(name), values, mapper);
		answered();
		return row;
	}

	private void requireNoPause() throws SQLException {
		if (this.answeredAt != null && this.connection.nanoTime() - this.answeredAt > PAUSE.toNanos()) {
			throw new SQLTransactionRollbackException("This client was paused while others waited for it", "40001");
		}
	}

	private void answered() {
		this.answeredAt = this.connection.nanoTime();
	}

	/**
	 * Undo what was done after a fault. If that fails, too, the connection is dropped,
	 * and the database rolls back.
	 */
	void rollBack(Exception fault) {
		try {
			if (limitsIdleTime()) {
				this.connection.update(ROLLBACK, Map.of());
			}
			else {
				this.connection.connection().rollback();
			}
			end();
		}
		catch (SQLException | RuntimeException ex) {
			fault.addSuppressed(ex);
			this.connection.noteFault(new SQLException("A transaction was not ended", ex));
		}
	}

	/**
	 * Commit. Autocommit is switched on, which commits in the same request.
	 */
	void end() throws SQLException {
		if (limitsIdleTime()) {
			this.connection.update(statement("end"), Map.of());
		}
		else {
			this.connection.connection().setAutoCommit(true);
		}
	}

	private boolean limitsIdleTime() {
		return this.connection.table().dialect().has(Dialect.Trait.ENDS_IDLE);
	}

	private SqlStatement statement(String name) {
		return this.connection.table().statement(name);
	}

}
