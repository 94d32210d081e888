package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A database with the tables of the locks, for tests.
 *
 * @param platform the platform
 * @param dataSource the source of its connections
 * @param forced whether the settings name the platform
 */
public record JdbcTestDatabase(String platform, DataSource dataSource, boolean forced) {

	public JdbcTestDatabase(String platform, DataSource dataSource) {
		this(platform, dataSource, false);
	}

	/**
	 * Create settings with notifications, and with the default name of the table of
	 * shared leases.
	 */
	public static JdbcLockSettings settings(String keyPrefix, String instanceId, String table, Duration callTimeout,
			Duration tokenRetention, @Nullable String platform) {
		return new JdbcLockSettings(keyPrefix, instanceId, table, table + JdbcLockSettings.READER_SUFFIX, callTimeout,
				tokenRetention, platform, JdbcLockSettings.Notifications.AUTO);
	}

	/**
	 * The prefix of all keys.
	 */
	public static final String PREFIX = "lock:";

	/**
	 * Long enough that no call fails because the machine is slow.
	 */
	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

	/**
	 * Return the settings for this database, with a timeout that only a call without an
	 * answer reaches.
	 * @return the settings
	 */
	public JdbcLockSettings settings() {
		return settings(JdbcLockSettings.DEFAULT_TABLE);
	}

	JdbcLockSettings settings(String table) {
		return settings(table, CALL_TIMEOUT);
	}

	public JdbcLockSettings settings(String table, Duration callTimeout) {
		return settings(PREFIX, "test@host:1", table, callTimeout, Duration.ofHours(1),
				this.forced ? this.platform : null);
	}

	/**
	 * Return sessions of this database in a time zone.
	 * @param zone the name of the zone
	 * @return the sessions, on the same connections
	 */
	public DataSource inZone(String zone) {
		return switch (this.platform) {
			case "h2" -> new PreparedSessions(this.dataSource, "SET TIME ZONE '" + zone + "'", "SET TIME ZONE LOCAL");
			case "postgresql" ->
				new PreparedSessions(this.dataSource, "SET TIME ZONE '" + zone + "'", "SET TIME ZONE DEFAULT");
			case "mariadb", "mysql" ->
				new PreparedSessions(this.dataSource, "SET time_zone = '" + zone + "'", "SET time_zone = DEFAULT");
			default -> new PreparedSessions(this.dataSource, "SET TIME ZONE INTERVAL '"
					+ ZoneId.of(zone).getRules().getOffset(Instant.now()) + "' HOUR TO MINUTE", "SET TIME ZONE LOCAL");
		};
	}

	/**
	 * Run the script, as Spring Boot does.
	 * @param settings names the tables
	 */
	public void createTables(JdbcLockSettings settings) {
		new ResourceDatabasePopulator(new ByteArrayResource(JdbcLockSchema.ddl(this.platform, settings).getBytes()))
			.execute(this.dataSource);
	}

	public void clear() {
		update("DELETE FROM @@table@@", Map.of());
		update("DELETE FROM @@reader_table@@", Map.of());
	}

	/**
	 * Let a lock expire by the database's clock, with all members of a group.
	 * @param key the key
	 */
	public void expire(String key) {
		for (String table : List.of("@@table@@", "@@reader_table@@")) {
			update("UPDATE " + table + " SET expires_at = @@after(-1000)@@ WHERE lock_key = :key",
					Map.of("key", key(key)));
		}
	}

	/**
	 * Set the database's clock, as seen from the rows, by moving all their times the
	 * other way. Tokens stay, because holders know them.
	 * @param step the step forward; negative if the clock goes back
	 */
	public void stepClock(Duration step) {
		long seconds = -step.toSeconds();
		String times = Stream.of("acquired_at", "expires_at", "waiting_until", "shared_until")
			.map((column) -> column + " = " + moved(column, seconds))
			.collect(Collectors.joining(", "));
		update("UPDATE @@table@@ SET " + times, Map.of());
		update("UPDATE @@reader_table@@ SET acquired_at = " + moved("acquired_at", seconds) + ", expires_at = "
				+ moved("expires_at", seconds), Map.of());
	}

	private String moved(String column, long seconds) {
		return switch (this.platform) {
			case "h2" -> "DATEADD(SECOND, " + seconds + ", " + column + ")";
			case "postgresql" -> column + " + " + seconds + " * INTERVAL '1 second'";
			case "mariadb", "mysql" -> "TIMESTAMPADD(SECOND, " + seconds + ", " + column + ")";
			default -> column + " + CAST(" + seconds + " AS BIGINT) * INTERVAL '1' SECOND(12, 0)";
		};
	}

	/**
	 * Change the row of a lock.
	 * @param key the key
	 * @param assignments the assignments to its columns, as SQL
	 */
	public void set(String key, String assignments) {
		update("UPDATE @@table@@ SET " + assignments + " WHERE lock_key = :key", Map.of("key", key(key)));
	}

	/**
	 * Delete the row of a lock.
	 * @param key the key
	 */
	public void delete(String key) {
		update("DELETE FROM @@table@@ WHERE lock_key = :key", Map.of("key", key(key)));
	}

	/**
	 * Return whether a waiter has left its mark since the last grant.
	 * @param key the key
	 * @return whether there is a mark, even one whose time is over
	 */
	public boolean isMarked(String key) {
		return hasRow(key, "waiting_until IS NOT NULL");
	}

	/**
	 * Return whether there is a row for a key.
	 * @param key the key
	 * @param condition the condition that the row must satisfy, as SQL
	 * @return whether there is such a row
	 */
	public boolean hasRow(String key, String condition) {
		return count("SELECT COUNT(*) FROM @@table@@ WHERE lock_key = :key AND " + condition, key) > 0;
	}

	/**
	 * Return the number of rows in the table of members, expired ones included.
	 * @param key the key
	 * @return the number
	 */
	public int members(String key) {
		return count("SELECT COUNT(*) FROM @@reader_table@@ WHERE lock_key = :key", key);
	}

	/**
	 * Return whether the row of a key expires when the latest of its members does, and at
	 * no other time.
	 * @param key the key
	 * @return whether it does
	 */
	public boolean isSettled(String key) {
		return hasRow(key, "expires_at = (SELECT MAX(reader.expires_at) FROM @@reader_table@@ reader"
				+ " WHERE reader.lock_key = @@table@@.lock_key)");
	}

	/**
	 * Return whether the row of a key expires no earlier than any of its members.
	 * @param key the key
	 * @return whether it does
	 */
	public boolean coversMembers(String key) {
		return hasRow(key, "expires_at >= (SELECT MAX(reader.expires_at) FROM @@reader_table@@ reader"
				+ " WHERE reader.lock_key = @@table@@.lock_key)");
	}

	private int count(String text, String key) {
		SqlStatement sql = parse(text);
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = sql.prepare(connection::prepareStatement, 0, Map.of("key", key(key)));
				ResultSet rows = statement.executeQuery()) {
			rows.next();
			return rows.getInt(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Run SQL, which may contain the same placeholders as the statements of the store.
	 * @param text the SQL
	 * @param values its parameters
	 */
	public void update(String text, Map<String, Object> values) {
		try (Connection connection = this.dataSource.getConnection();
				PreparedStatement statement = parse(text).prepare(connection::prepareStatement, 0, values)) {
			statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	SqlStatement parse(String text) {
		return SqlStatement.parse(dialect().expressions().expand(text, settings()));
	}

	Object key(String key) {
		return dialect().keyColumnType().toColumn(PREFIX + key);
	}

	Dialect dialect() {
		return Dialect.valueOf(this.platform.toUpperCase());
	}

}
