package io.distributedlock.backend.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Drops a silent connection of a client, so that the client reconnects with the same
 * session. The client itself waits for two thirds of the session timeout, and a firewall
 * that forgets connections would block all locks for as long.
 * <p>
 * A connection is silent if requests are pending and not one was answered for one and a
 * half call timeouts. A slow server is not cut off repeatedly. If a connection was
 * dropped in vain, the next one gets twice the time, up to two thirds of the session
 * timeout. An answer reduces the time to twice the silence that it ended, but never below
 * one and a half call timeouts.
 */
final class ConnectionWatchdog {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionWatchdog.class);

	/**
	 * The time in which an answer that has already arrived is processed after the machine
	 * stood still.
	 */
	private static final Duration SECOND_LOOK = Duration.ofMillis(100);

	private final ZooKeeper handle;

	private final LockClock clock;

	private final long least;

	private final long most;

	private final AtomicInteger unanswered = new AtomicInteger();

	private volatile long heardAt;

	private volatile long patience;

	// Guarded by the monitor.
	private boolean watching;

	ConnectionWatchdog(ZooKeeper handle, LockClock clock, Duration callTimeout) {
		this.handle = handle;
		this.clock = clock;
		this.least = callTimeout.multipliedBy(3).dividedBy(2).toNanos();
		this.most = Math.max(this.least, TimeUnit.MILLISECONDS.toNanos(handle.getSessionTimeout() * 2L / 3));
		this.patience = this.least;
		this.heardAt = clock.nanoTime();
	}

	/**
	 * Record a request that is about to be sent.
	 * @param answer its answer
	 */
	void watch(CompletableFuture<?> answer) {
		if (this.unanswered.getAndIncrement() == 0) {
			this.heardAt = this.clock.nanoTime();
		}
		answer.whenComplete((value, fault) -> {
			this.unanswered.decrementAndGet();
			if (fault == null || !ZooKeeperFaults.isConnectionLoss(fault)) {
				heard();
			}
		});
		begin();
	}

	/**
	 * Record a new connection.
	 */
	void connected() {
		this.heardAt = this.clock.nanoTime();
	}

	private void heard() {
		long now = this.clock.nanoTime();
		this.patience = Math.max(this.least, Math.min(this.patience, 2 * (now - this.heardAt)));
		this.heardAt = now;
	}

	private void begin() {
		synchronized (this) {
			if (this.watching) {
				return;
			}
			this.watching = true;
		}
		lookAfter(Duration.ofNanos(this.patience), null);
	}

	private void lookAfter(Duration pause, @Nullable Long suspectedAt) {
		this.clock.schedule(pause, () -> look(suspectedAt));
	}

	/**
	 * Check whether the connection is silent.
	 * @param suspectedAt the time of the last answer, if the previous look suspected the
	 * connection
	 */
	private void look(@Nullable Long suspectedAt) {
		long now = this.clock.nanoTime();
		if (!this.handle.getState().isConnected()) {
			// The client itself bounds the time for connecting.
			this.heardAt = now;
		}
		long heard = this.heardAt;
		long rest = this.patience - (now - heard);
		synchronized (this) {
			this.watching = this.unanswered.get() > 0 && this.handle.getState().isAlive();
			if (!this.watching) {
				return;
			}
		}
		if (rest > 0) {
			lookAfter(Duration.ofNanos(rest), null);
		}
		else if (suspectedAt == null || suspectedAt != heard) {
			lookAfter(SECOND_LOOK, heard);
		}
		else {
			drop(now - heard);
			lookAfter(Duration.ofNanos(this.patience), null);
		}
	}

	private void drop(long silence) {
		this.patience = Math.min(this.most, 2 * this.patience);
		this.heardAt = this.clock.nanoTime();
		logger.info(
				"ZooKeeper has not answered for {} ms on the connection of session {}, which is dropped for a new one",
				TimeUnit.NANOSECONDS.toMillis(silence), Long.toHexString(this.handle.getSessionId()));
		try {
			// The client has no other way to leave a connection and keep the session.
			this.handle.getTestable().closeSocket();
		}
		catch (IOException ex) {
			logger.debug("The connection could not be dropped", ex);
		}
		// The client's thread sleeps until it has work, and then finds the socket closed.
		AsyncCallback.VoidCallback ignored = (code, path, context) -> {
		};
		this.handle.sync("/", ignored, null);
	}

}
