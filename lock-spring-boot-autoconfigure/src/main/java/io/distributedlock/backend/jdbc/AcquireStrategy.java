package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * The way in which a database takes a lock that is free.
 */
interface AcquireStrategy {

	/**
	 * Take a lock if it is free.
	 * @param connection the connection
	 * @param request what is asked for
	 * @param values the same by the names that statements use, and the key
	 * @return the row if the lock was granted: it has the owner of the request then. If
	 * not, the row of somebody else, marked if the request waits, or {@code null} if
	 * nothing is known
	 * @throws SQLException if the database complains; that the row is there already is
	 * one of its complaints
	 */
	@Nullable LockRow acquire(LockConnection connection, LeaseRequest request, Map<String, @Nullable Object> values)
			throws SQLException;

}
