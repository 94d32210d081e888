package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.List;

/**
 * A connection on which the database notifies of releases. Used by one thread only.
 */
interface ListeningConnection extends AutoCloseable {

	/**
	 * Test whether notifications from another connection arrive.
	 * @return whether they do
	 * @throws SQLException if the test could not be made
	 */
	boolean isNotified() throws SQLException;

	/**
	 * Wait briefly for releases.
	 * @return the keys of released locks, as they are stored
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
