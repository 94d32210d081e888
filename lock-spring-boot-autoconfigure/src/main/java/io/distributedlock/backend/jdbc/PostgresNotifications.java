package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadPoolExecutor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.StoreThreads;
import io.distributedlock.backend.notification.NotificationState;
import io.distributedlock.backend.notification.ReleaseListener;
import io.distributedlock.backend.notification.ReleaseNotifications;
import io.distributedlock.backend.notification.ReleaseSubscription;
import io.distributedlock.backend.notification.ReleaseWaiter;
import io.distributedlock.spi.LockClock;

/**
 * Notifies the waiters of this JVM of releases, by one connection that listens. If
 * notifications do not arrive, waiters poll.
 */
final class PostgresNotifications {

	private static final Logger logger = LoggerFactory.getLogger(PostgresNotifications.class);

	/**
	 * The number of connections in a row that must miss the trial notification before no
	 * more are opened. A busy database may be late once.
	 */
	private static final int TRIES = 3;

	private final ListeningConnection.Opener opener;

	private final LockClock clock;

	// Blocked by the driver while it listens.
	private final ThreadPoolExecutor thread = StoreThreads.named("lock-jdbc-listener", 1);

	private final ReleaseNotifications notifications;

	/**
	 * Create the notifications.
	 * @param opener opens a connection that listens
	 * @param enabled whether to listen at all
	 * @param clock the clock
	 */
	PostgresNotifications(ListeningConnection.Opener opener, boolean enabled, LockClock clock) {
		this.opener = opener;
		this.clock = clock;
		// A connection that listens notices by itself that it has fallen silent.
		this.notifications = new ReleaseNotifications(this::subscribe, null, clock);
		if (!enabled) {
			this.notifications.close();
		}
	}

	/**
	 * Create a waiter, which has not joined yet.
	 * @param key the key as it is stored
	 * @param wakeUp the task to run after a release, or when one may have been missed
	 * @return the waiter
	 */
	ReleaseWaiter waiter(String key, Runnable wakeUp) {
		return this.notifications.waiter(key, wakeUp);
	}

	NotificationState state() {
		return this.notifications.state();
	}

	/**
	 * Determine whether releases wake waiters.
	 * @param timeout how long that may take
	 * @return {@code true} as soon as they do, {@code false} if waiters poll
	 */
	CompletionStage<Boolean> wakeWaiters(Duration timeout) {
		return this.notifications.awaitReliable(timeout,
				(refusals) -> new LockUnavailableException("It could not be determined within " + timeout.toMillis()
						+ " ms whether notifications of the database of the locks arrive"));
	}

	/**
	 * Test again, on a new connection, whether notifications arrive, because the database
	 * may reject them at the moment. Waiters poll until the result is known. Does not
	 * block.
	 */
	void resubscribe() {
		// On another thread, because this one runs a statement, and waiters are woken.
		this.clock.schedule(Duration.ZERO, this.notifications::resubscribe);
	}

	private CompletionStage<ReleaseSubscription> subscribe(ReleaseListener listener) {
		Listening listening = new Listening(listener);
		this.thread.execute(listening::run);
		return listening.confirmed;
	}

	/**
	 * Stop notifying waiters. The connection is returned soon after.
	 */
	void close() {
		this.notifications.close();
		this.thread.shutdown();
	}

	void awaitEnd(Duration timeout) {
		DedicatedConnectionExecutor.awaitEnd(this.thread, timeout);
	}

	/**
	 * One subscription, which keeps the thread until it ends.
	 */
	private final class Listening implements ReleaseSubscription {

		private final ReleaseListener listener;

		private final CompletableFuture<ReleaseSubscription> confirmed = new CompletableFuture<>();

		private volatile boolean closed;

		Listening(ReleaseListener listener) {
			this.listener = listener;
		}

		void run() {
			try {
				open();
			}
			catch (SQLException | RuntimeException | LinkageError ex) {
				if (this.confirmed.isDone()) {
					this.listener.ended();
				}
				else {
					this.confirmed.completeExceptionally(explain(ex));
				}
			}
		}

		private void open() throws SQLException {
			for (int i = 0; i < TRIES; i++) {
				try (ListeningConnection connection = PostgresNotifications.this.opener.open()) {
					if (connection.isNotified()) {
						listen(connection);
						return;
					}
				}
				if (PostgresNotifications.this.thread.isShutdown()) {
					throw new LockUnavailableException("The locks in the database were stopped");
				}
			}
			this.confirmed.completeExceptionally(unsupported(null));
		}

		private void listen(ListeningConnection connection) throws SQLException {
			this.confirmed.complete(this);
			while (!this.closed) {
				connection.receive().forEach(this.listener::released);
			}
		}

		private static Throwable explain(Throwable fault) {
			return (fault instanceof LinkageError || SqlFaults.isUnsupported(fault)) ? unsupported(fault) : fault;
		}

		private static UnsupportedOperationException unsupported(@Nullable Throwable fault) {
			logger.warn("Notifications of released locks do not arrive, perhaps because of a proxy in front of the"
					+ " database that shares its connections: waiters poll instead. With lock.jdbc.notifications=off"
					+ " they always poll, without a trial", fault);
			return new UnsupportedOperationException(fault);
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
