package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.List;

/**
 * A connection on which the database notifies of releases. Used by one thread alone.
 */
interface ListeningConnection extends AutoCloseable {

	/**
	 * Try whether notifications of another connection arrive.
	 * @return whether they do
	 * @throws SQLException if that could not be tried
	 */
	boolean isNotified() throws SQLException;

	/**
	 * Wait a little for releases.
	 * @return the keys as they are stored
	 * @throws SQLException if the connection is broken
	 */
	List<String> receive() throws SQLException;

	@Override
	void close();

	/**
	 * Opens connections that listen.
	 */
	@FunctionalInterface
	interface Opener {

		ListeningConnection open() throws SQLException;

	}

}
