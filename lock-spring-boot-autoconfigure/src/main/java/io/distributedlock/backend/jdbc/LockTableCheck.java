package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.StringUtils;

import io.distributedlock.LockRefusedException;

/**
 * Checks once whether a table has all columns, and whether its times mean the same in
 * sessions of all time zones. A table that was created by hand may have column types that
 * give one lock to two holders. The check reads no rows of the table, and needs only the
 * rights that locks need. What the check can't read counts as correct.
 */
final class LockTableCheck {

	private static final Logger logger = LoggerFactory.getLogger(LockTableCheck.class);

	private static final Set<String> TIMES = Set.of("acquired_at", "expires_at", "waiting_until", "shared_until");

	private static final Pattern COLUMN = Pattern.compile("(?m)^\\s+([a-z_]+) ([A-Z][^\\n]*?),?$");

	/**
	 * The minimum number of fractional digits of a time. An expiry that is rounded by
	 * more than a lease's safety margin comes too early.
	 */
	private static final int FRACTION = 3;

	/**
	 * The number of characters of the date, the time and the point.
	 */
	private static final int WITHOUT_FRACTION = 20;

	private final Dialect dialect;

	private final String table;

	private final String what;

	// The definitions of the columns by their names, as in the script.
	private final Map<String, String> columns = new LinkedHashMap<>();

	private volatile boolean passed;

	private LockTableCheck(Dialect dialect, String table, String what, String definition) {
		this.dialect = dialect;
		this.table = table;
		this.what = what;
		Matcher column = COLUMN.matcher(definition);
		while (column.find()) {
			this.columns.put(column.group(1), column.group(2));
		}
	}

	static LockTableCheck ofLocks(Dialect dialect, JdbcLockSettings settings) {
		return new LockTableCheck(dialect, settings.table(), "table of locks", definitions(dialect, settings)[1]);
	}

	/**
	 * Create the check of the table that only shared leases and permits need.
	 */
	static LockTableCheck ofMembers(Dialect dialect, JdbcLockSettings settings) {
		return new LockTableCheck(dialect, settings.readerTable(), "table of shared leases",
				definitions(dialect, settings)[2]);
	}

	private static String[] definitions(Dialect dialect, JdbcLockSettings settings) {
		return JdbcLockSchema.ddl(dialect.platform(), settings).split("CREATE TABLE", 3);
	}

	/**
	 * Check the table, unless it has passed already.
	 * @param connection the connection
	 * @param timeoutSeconds the query timeout in seconds; zero for none
	 * @throws LockRefusedException if the table does not fit
	 */
	void run(Connection connection, int timeoutSeconds) {
		if (this.passed) {
			return;
		}
		List<String> faults;
		try (Statement statement = connection.createStatement()) {
			statement.setQueryTimeout(timeoutSeconds);
			try (ResultSet none = statement.executeQuery("SELECT * FROM " + this.table + " WHERE 1 = 0")) {
				faults = faults(none.getMetaData());
				logSchema(none.getMetaData());
			}
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("The columns of the table '{}' can't be seen", this.table, ex);
			// A missing table or an unreachable database is checked later.
			this.passed = SqlFaults.isRefused(ex) && !SqlFaults.isMissingTable(ex);
			return;
		}
		if (!faults.isEmpty()) {
			throw new LockRefusedException("The " + this.what + " '" + this.table + "' can't be used by this version: "
					+ String.join("; ", faults), null);
		}
		this.passed = true;
	}

	/**
	 * Return whether the table is known to be there.
	 */
	boolean isPassed() {
		return this.passed;
	}

	/**
	 * Log which table was found if the schema depends on the session. Users with another
	 * default schema would lock in another table.
	 */
	private void logSchema(ResultSetMetaData found) {
		String subject = "The " + this.what;
		if (this.table.indexOf('.') >= 0) {
			return;
		}
		try {
			// What MariaDB and MySQL call a database is a catalog to JDBC.
			Stream.of(PostgresDriver.schema(found), found.getSchemaName(1), found.getCatalogName(1))
				.filter(StringUtils::hasLength)
				.findFirst()
				.ifPresent((schema) -> logger.info("{} is '{}.{}'", subject, schema, this.table));
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("The schema of the table '{}' can't be seen", this.table, ex);
		}
	}

	private List<String> faults(ResultSetMetaData found) throws SQLException {
		List<String> faults = new ArrayList<>();
		Map<String, String> missing = new LinkedHashMap<>(this.columns);
		for (int i = 1; i <= found.getColumnCount(); i++) {
			String name = found.getColumnName(i).toLowerCase(Locale.ROOT);
			missing.remove(name);
			if (TIMES.contains(name) && !(isInstant(found, i) && fraction(found, i) >= FRACTION)) {
				faults.add("the column '%s' has the type %s instead of %s, %s".formatted(name,
						found.getColumnTypeName(i), this.columns.getOrDefault(name, "").replace(" NOT NULL", ""),
						isInstant(found, i) ? "without fractions of seconds" : "which depends on the session's zone"));
			}
		}
		missing.forEach((name, definition) -> faults
			.add("the column '%1$s' is missing, which 'ALTER TABLE %2$s ADD %1$s %3$s' adds".formatted(name, this.table,
					definition)));
		return faults;
	}

	private boolean isInstant(ResultSetMetaData found, int column) throws SQLException {
		String type = found.getColumnTypeName(column).toUpperCase(Locale.ROOT);
		return switch (this.dialect) {
			case MARIADB, MYSQL -> type.startsWith("DATETIME");
			case SQLSERVER -> type.startsWith("DATETIME2") || type.startsWith("DATETIMEOFFSET");
			default -> (type.contains("ZONE") && !type.contains("WITHOUT")) || type.startsWith("TIMESTAMPTZ");
		};
	}

	private int fraction(ResultSetMetaData found, int column) throws SQLException {
		return switch (this.dialect) {
			case H2, POSTGRESQL -> found.getScale(column);
			// MySQL's driver reports no scale.
			case MARIADB, MYSQL -> found.getPrecision(column) - WITHOUT_FRACTION;
			default -> FRACTION;
		};
	}

}
