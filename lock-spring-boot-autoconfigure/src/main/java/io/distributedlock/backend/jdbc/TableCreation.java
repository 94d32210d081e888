package io.distributedlock.backend.jdbc;

import java.sql.Connection;

/**
 * Creates the tables of a {@link JdbcLockBackend} that could not be created when the
 * application started.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TableCreation {

	/**
	 * For tables that exist already, or are created elsewhere.
	 */
	TableCreation NONE = (connection) -> {
	};

	/**
	 * Create the tables, unless that has been done. Called before the first use of the
	 * database and, if it fails, again before the next, by one thread at a time.
	 * @param connection a connection to the database, which must not be closed
	 * @throws RuntimeException if that fails; the use of the database fails then, too
	 */
	void createTables(Connection connection);

}
