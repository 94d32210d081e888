package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.awaitility.Awaitility;

/**
 * A transaction that has the lock on the row of a key, so that statements of the store
 * wait for it.
 */
final class BlockedRow implements AutoCloseable {

	private final JdbcTestDatabase database;

	private final String key;

	private final Connection connection;

	BlockedRow(JdbcTestDatabase database, String key) throws SQLException {
		this.database = database;
		this.key = key;
		this.connection = database.dataSource().getConnection();
		this.connection.setAutoCommit(false);
		update("UPDATE @@table@@ SET token = token WHERE lock_key = :key");
	}

	/**
	 * Run SQL in the transaction, as another client would.
	 */
	void update(String sql) throws SQLException {
		update(sql, Map.of());
	}

	void update(String sql, Map<String, Object> values) throws SQLException {
		Map<String, Object> all = new HashMap<>(values);
		all.put("key", this.database.key(this.key));
		try (PreparedStatement statement = this.database.parse(sql)
			.prepare(this.connection::prepareStatement, 0, all)) {
			statement.executeUpdate();
		}
	}

	/**
	 * Let another member enter, as its transaction would.
	 * @param kind the kind of the group
	 */
	void enter(String kind) throws SQLException {
		update("UPDATE @@table@@ SET owner = NULL, instance = '" + kind
				+ "', token = token + 1, expires_at = @@after(60000)@@ WHERE lock_key = :key");
		update("INSERT INTO @@reader_table@@ (lock_key, owner, instance, token, acquired_at, expires_at)"
				+ " VALUES (:key, 'intruder', 'test', 1, @@now@@, @@after(59000)@@)");
	}

	/**
	 * Wait until statements of the store wait for the lock.
	 */
	void awaitWaiting(int number) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> waiting() >= number);
	}

	private int waiting() throws SQLException {
		try (Connection other = this.database.dataSource().getConnection();
				Statement statement = other.createStatement();
				ResultSet rows = statement.executeQuery(query())) {
			rows.next();
			return rows.getInt(1);
		}
	}

	private String query() {
		return switch (this.database.platform()) {
			case "h2" -> "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE BLOCKER_ID IS NOT NULL";
			case "postgresql" -> "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
					+ " AND query LIKE '% distributed_lock%'";
			case "mariadb", "mysql" -> "SELECT COUNT(*) FROM information_schema.INNODB_TRX"
					+ " WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE '%distributed_lock%'";
			default -> "SELECT COUNT(*) FROM INFORMATION_SCHEMA.SYSTEM_SESSIONS WHERE THIS_WAITING_FOR <> ''";
		};
	}

	void commit() throws SQLException {
		this.connection.commit();
	}

	@Override
	public void close() throws SQLException {
		this.connection.rollback();
		this.connection.setAutoCommit(true);
		this.connection.close();
	}

}
