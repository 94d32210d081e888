package io.distributedlock.benchmarks.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;

import io.distributedlock.benchmarks.contest.Side;

/**
 * Two prepared statements in autocommit mode, each on a connection of a pool: one takes a
 * free lock and raises its token, one compares the owner and frees the lock.
 */
final class BareJdbc implements Side {

	private final HikariDataSource pool;

	private final Statements statements;

	BareJdbc(String url, Statements statements) {
		this.pool = JdbcPools.open(url, statements.table());
		this.statements = statements;
	}

	@Override
	public Held acquire(String key) throws SQLException {
		String owner = UUID.randomUUID().toString();
		while (!isGranted(key, owner)) {
			Thread.onSpinWait();
		}
		return () -> release(key, owner);
	}

	private boolean isGranted(String key, String owner) throws SQLException {
		try (Connection connection = this.pool.getConnection();
				PreparedStatement statement = connection.prepareStatement(this.statements.acquire())) {
			statement.setString(1, key);
			statement.setString(2, owner);
			statement.execute();
			try (ResultSet rows = statement.getResultSet()) {
				return rows.next() && owner.equals(rows.getString(1)) && rows.getLong(2) > 0;
			}
		}
	}

	private void release(String key, String owner) throws SQLException {
		try (Connection connection = this.pool.getConnection();
				PreparedStatement statement = connection.prepareStatement(this.statements.release())) {
			statement.setString(1, key);
			statement.setString(2, owner);
			statement.executeUpdate();
		}
	}

	@Override
	public void close() {
		this.pool.close();
	}

	/**
	 * The least that a database needs.
	 *
	 * @param table creates the table
	 * @param acquire takes a free lock; in: key, owner; out: owner, token
	 * @param release frees the lock; in: key, owner
	 */
	record Statements(String table, String acquire, String release) {

		static final Statements POSTGRESQL = new Statements("""
				CREATE TABLE IF NOT EXISTS bare_lock (lock_key TEXT COLLATE "C" NOT NULL PRIMARY KEY, owner VARCHAR(36),
				token BIGINT NOT NULL, expires_at TIMESTAMPTZ NOT NULL) WITH (fillfactor = 70)
				""", """
				INSERT INTO bare_lock AS held (lock_key, owner, token, expires_at)
				VALUES (?, ?, 1, clock_timestamp() + INTERVAL '30 s')
				ON CONFLICT (lock_key) DO UPDATE
				SET owner = excluded.owner, token = held.token + 1, expires_at = excluded.expires_at
				WHERE held.expires_at <= clock_timestamp()
				RETURNING owner, token
				""", """
				UPDATE bare_lock SET owner = NULL, expires_at = clock_timestamp() WHERE lock_key = ? AND owner = ?
				""");

		static final Statements MARIADB = new Statements("""
				CREATE TABLE IF NOT EXISTS bare_lock (lock_key VARBINARY(255) NOT NULL PRIMARY KEY, owner VARCHAR(36),
				token BIGINT NOT NULL, expires_at DATETIME(6) NOT NULL)
				""", """
				INSERT INTO bare_lock (lock_key, owner, token, expires_at)
				VALUES (?, ?, 1, UTC_TIMESTAMP(6) + INTERVAL 30 SECOND)
				ON DUPLICATE KEY UPDATE
				owner = IF(expires_at <= UTC_TIMESTAMP(6), VALUES(owner), owner),
				token = IF(expires_at <= UTC_TIMESTAMP(6), token + 1, token),
				expires_at = IF(expires_at <= UTC_TIMESTAMP(6), VALUES(expires_at), expires_at)
				RETURNING owner, token
				""", """
				UPDATE bare_lock SET owner = NULL, expires_at = UTC_TIMESTAMP(6) WHERE lock_key = ? AND owner = ?
				""");

	}

}
