package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.StoreSettings;

/**
 * Settings of a {@link JdbcLockBackend}.
 *
 * @param keyPrefix the prefix of every stored key, at most 128 characters; may be empty
 * @param instanceId the name of this JVM, for administrators; cut after 255 characters
 * @param table the name of the table of locks, with its schema if it needs one
 * @param readerTable the name of the table of shared leases, likewise
 * @param callTimeout the timeout of one call to the database if the request has none
 * @param tokenRetention the minimum time for which a row stays after its last use
 * @param platform the name of the SQL dialect: {@code h2}, {@code postgresql},
 * {@code mariadb}, {@code mysql}, {@code oracle}, {@code sqlserver}, {@code portable};
 * {@code null} to ask the database
 * @param notifications whether waiters are notified of releases
 * @since 0.1.0
 */
public record JdbcLockSettings(String keyPrefix, String instanceId, String table, String readerTable,
		Duration callTimeout, Duration tokenRetention, @Nullable String platform, Notifications notifications) {

	/**
	 * The default name of the table of locks.
	 */
	public static final String DEFAULT_TABLE = "distributed_lock";

	/**
	 * The suffix that the default name of the table of shared leases adds to the name of
	 * the table of locks.
	 */
	public static final String READER_SUFFIX = "_reader";

	private static final int MAX_PREFIX_LENGTH = 128;

	// Quotes and blanks inside names would need escapes that differ by database.
	private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$#]*(\\.[\\p{L}_][\\p{L}\\p{N}_$#]*)*");

	/**
	 * Whether the database notifies waiters of releases. Waiters that are not notified
	 * poll.
	 */
	public enum Notifications {

		/**
		 * On PostgreSQL, if a trial notification arrives on the connection that listens.
		 */
		AUTO,

		/**
		 * Never. No connection listens.
		 */
		OFF

	}

	public JdbcLockSettings {
		Objects.requireNonNull(callTimeout, "callTimeout");
		Objects.requireNonNull(tokenRetention, "tokenRetention");
		Objects.requireNonNull(notifications, "notifications");
		if (keyPrefix.length() > MAX_PREFIX_LENGTH) {
			throw new IllegalArgumentException("The key prefix of the locks in a database (lock.key-prefix) must have"
					+ " at most " + MAX_PREFIX_LENGTH + " characters, but has " + keyPrefix.length());
		}
		requireName("table", table);
		requireName("readerTable", readerTable);
		if (table.equals(readerTable)) {
			throw new IllegalArgumentException(
					"The table of locks and the table of shared leases must differ, but both are '" + table + "'");
		}
		StoreSettings.requirePositive(callTimeout, "call timeout (lock.call-timeout)");
		instanceId = StoreSettings.printable(instanceId);
	}

	private static void requireName(String what, String name) {
		if (!NAME.matcher(name).matches()) {
			throw new IllegalArgumentException("The " + what + " of the locks in a database (lock.jdbc.table) must be"
					+ " a plain name, such as 'distributed_lock' or 'schema.distributed_lock', but is '" + name + "'");
		}
	}

}
