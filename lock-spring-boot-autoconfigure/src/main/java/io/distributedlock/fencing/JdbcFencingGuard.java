package io.distributedlock.fencing;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCallback;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.distributedlock.LockKeys;
import io.distributedlock.StaleTokenException;

/**
 * A guard for resources in a database. It takes part in the running transaction, on that
 * transaction's connection. The check and the writes commit together or not at all. The
 * row of the resource stays locked until then, so the writes of two holders never
 * interleave. After a check has passed, no write with a smaller token commits later. A
 * stale token rolls the transaction back through its exception; an application that
 * catches it inside the transaction has to roll back itself.
 * <p>
 * Works with every transaction manager that binds the connection to the thread, with JTA,
 * and with JPA if its manager knows its {@link DataSource}. A check also covers later JPA
 * writes that are flushed at the commit. Without a running transaction the guard refuses
 * to check, because the write could follow that of a later holder. A transaction of
 * another database counts as none; it can't be distinguished from the right one if the
 * pool supplies connections with auto-commit off.
 * <p>
 * On PostgreSQL, H2 and MariaDB a check is one statement. On other databases it is one if
 * the resource was seen before, and two or three the first time. A refusal takes three.
 * At the isolation levels REPEATABLE READ and SERIALIZABLE a database may fail a check
 * beside a concurrent one of the same resource, like any update; Spring translates that
 * to a {@link org.springframework.dao.ConcurrencyFailureException}. The scripts at
 * {@link FenceTable#SCHEMA_LOCATION} create the table. It keeps one row for each resource
 * and never deletes one.
 *
 * @since 0.1.0
 */
public final class JdbcFencingGuard implements FencingGuard {

	private static final int MAX_LENGTH = 255;

	private static final String UPDATE = "UPDATE @@table@@ SET token = ?, checks = checks + 1"
			+ " WHERE resource = ? AND token <= ?";

	private static final String INSERT = "INSERT INTO @@table@@ (resource, token, checks) VALUES (?, ?, 1)";

	private final FenceTable table;

	private final JdbcTemplate jdbc;

	private volatile @Nullable FenceDialect dialect;

	// For messages. Known together with the dialect, unless that was given.
	private volatile String user = "";

	/**
	 * Create a guard with the table {@value FenceTable#DEFAULT_NAME}.
	 * @param dataSource the database of the protected resources
	 */
	public JdbcFencingGuard(DataSource dataSource) {
		this(dataSource, new FenceTable(FenceTable.DEFAULT_NAME));
	}

	/**
	 * Create a guard.
	 * @param dataSource the database of the protected resources
	 * @param table the table of tokens, in the same database
	 */
	public JdbcFencingGuard(DataSource dataSource, FenceTable table) {
		this(dataSource, table, null);
	}

	JdbcFencingGuard(DataSource dataSource, FenceTable table, @Nullable FenceDialect dialect) {
		this.table = Objects.requireNonNull(table, "table");
		this.jdbc = new JdbcTemplate(dataSource);
		this.dialect = dialect;
	}

	/**
	 * Accept a write, or refuse it together with the running transaction.
	 * @param resource the resource, at most 255 characters, not blank, and without blanks
	 * at its ends, which databases compare in different ways
	 * @param token the writer's fencing token
	 * @throws StaleTokenException if a greater token was seen; unchecked, so that Spring
	 * rolls back
	 * @throws IllegalStateException if no transaction on this database is running, or the
	 * table is missing or the user has no rights on it
	 */
	@Override
	public void check(String resource, long token) {
		requireName(resource);
		requireTransaction(resource);
		boolean passed;
		try {
			passed = switch (dialect().form()) {
				case COUNTED -> count(resource, token) > 0;
				case RETURNED -> seen(resource, token) <= token;
				case IN_STEPS -> passesInSteps(resource, token);
			};
		}
		catch (BadSqlGrammarException ex) {
			throw unusable(ex);
		}
		if (!passed) {
			throw new StaleTokenException(resource, token);
		}
	}

	/**
	 * Describe the requirements of the table, because databases differ in how they report
	 * a missing table, column or right.
	 */
	private IllegalStateException unusable(BadSqlGrammarException fault) {
		String named = this.user.isEmpty() ? "" : " '" + this.user + "'";
		return new IllegalStateException("The table '" + this.table.name() + "' of fencing tokens can't be used: "
				+ fault.getMostSpecificCause().getMessage() + ". The user" + named
				+ " needs SELECT, INSERT and UPDATE on it, and " + FenceTable.SCHEMA_LOCATION + " has what creates it",
				fault);
	}

	private static void requireName(String resource) {
		if (resource.isEmpty() || resource.length() > MAX_LENGTH || !resource.equals(resource.strip())) {
			throw new IllegalArgumentException(
					"'" + LockKeys.printable(resource) + "' can't name a fenced resource: it needs 1 to " + MAX_LENGTH
							+ " characters, and no blanks at its ends");
		}
	}

	private void requireTransaction(String resource) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalStateException("The token of '" + LockKeys.printable(resource)
					+ "' can only be checked in a transaction, together with the writes that it is for");
		}
		Boolean apart = this.jdbc.execute((ConnectionCallback<Boolean>) Connection::getAutoCommit);
		if (Boolean.TRUE.equals(apart)) {
			throw new IllegalStateException("The token of '" + LockKeys.printable(resource)
					+ "' can't be checked: the transaction that is running is not one of the guard's DataSource");
		}
	}

	private FenceDialect dialect() {
		FenceDialect known = this.dialect;
		if (known == null) {
			known = Objects.requireNonNull(this.jdbc.execute((ConnectionCallback<FenceDialect>) this::ask));
			// Concurrent threads determine the same dialect.
			this.dialect = known;
		}
		return known;
	}

	private FenceDialect ask(Connection connection) throws SQLException {
		DatabaseMetaData database = connection.getMetaData();
		this.user = Objects.toString(database.getUserName(), "");
		return FenceDialect.of(database.getDatabaseProductName(), database.getDatabaseProductVersion());
	}

	private int count(String resource, long token) {
		String sql = this.table.named(dialect().sql());
		try {
			return this.jdbc.update(sql, resource, token);
		}
		catch (DuplicateKeyException ex) {
			// On H2, another transaction has just inserted the row, which exists now.
			return this.jdbc.update(sql, resource, token);
		}
	}

	private long seen(String resource, long token) {
		return Objects.requireNonNull(
				this.jdbc.execute(this.table.named(dialect().sql()), (PreparedStatementCallback<Long>) (statement) -> {
					statement.setString(1, resource);
					statement.setLong(2, token);
					// MySQL's driver would refuse to query by an INSERT.
					statement.execute();
					try (ResultSet rows = statement.getResultSet()) {
						rows.next();
						return rows.getLong(1);
					}
				}));
	}

	/**
	 * Updates the column {@code checks} so that each matched row changes, because MySQL
	 * may count only rows that change.
	 */
	private boolean passesInSteps(String resource, long token) {
		if (update(resource, token)) {
			return true;
		}
		try {
			this.jdbc.update(this.table.named(INSERT), resource, token);
			return true;
		}
		catch (DuplicateKeyException ex) {
			// A greater token is stored, or another transaction was first.
			return update(resource, token);
		}
	}

	private boolean update(String resource, long token) {
		return this.jdbc.update(this.table.named(UPDATE), token, resource, token) > 0;
	}

}
