package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the statements that end a lease and notify waiters in one step. If the database
 * takes no notice, it undoes the whole step: then the statement runs again without the
 * notice, since a lease that has ended matters more than a waiter that learns of it at
 * once.
 */
final class ReleaseNotices {

	private static final Logger logger = LoggerFactory.getLogger(ReleaseNotices.class);

	private static final Runnable NOBODY = () -> {
	};

	private final AtomicBoolean warned = new AtomicBoolean();

	// Set at each start of the store.
	private volatile Runnable listener = NOBODY;

	/**
	 * Name the one to be told that notices are refused.
	 * @param listener is run on the thread of the statement, and does not block
	 */
	void onRefusal(Runnable listener) {
		this.listener = listener;
	}

	/**
	 * Run a statement, and again without its notice if that is refused.
	 * @param <T> what comes of it
	 * @param sql the statement
	 * @param call runs it
	 * @return what came of it
	 * @throws SQLException if the database complains of anything else
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
