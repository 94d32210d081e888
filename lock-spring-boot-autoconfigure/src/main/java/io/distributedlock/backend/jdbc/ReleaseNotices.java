package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the statements that end a lease and notify waiters in one step. If the database
 * rejects the notice, it undoes the whole step. The statement then runs again without the
 * notice, because the end of the lease matters more than an immediate notification.
 */
final class ReleaseNotices {

	private static final Logger logger = LoggerFactory.getLogger(ReleaseNotices.class);

	private static final Runnable NOBODY = () -> {
	};

	private final AtomicBoolean warned = new AtomicBoolean();

	// Set at each start of the store.
	private volatile Runnable listener = NOBODY;

	/**
	 * Set the task that runs when a notice is refused.
	 * @param listener the task; runs on the thread of the statement, and does not block
	 */
	void onRefusal(Runnable listener) {
		this.listener = listener;
	}

	/**
	 * Run a statement, and again without its notice if that is refused.
	 * @param <T> the type of the result
	 * @param sql the statement
	 * @param call runs it
	 * @return the result
	 * @throws SQLException if another database access error occurs
	 */
	<T> T send(SqlStatement sql, SqlFunction<SqlStatement, T> call) throws SQLException {
		try {
			return call.apply(sql);
		}
		catch (SQLException ex) {
			SqlStatement withoutNotice = sql.withoutNotice();
			if (withoutNotice.equals(sql) || !SqlFaults.isNoticeRefused(ex)) {
				throw ex;
			}
			warn(ex);
			this.listener.run();
			return call.apply(withoutNotice);
		}
	}

	private void warn(SQLException fault) {
		if (this.warned.compareAndSet(false, true)) {
			logger.warn("The database's queue of notifications is full, since some session has listened (LISTEN) and"
					+ " stays in a transaction; pg_stat_activity shows it. Locks are released without a notification"
					+ " until the queue has room, and waiters poll", fault);
		}
	}

}
