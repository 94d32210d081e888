package io.distributedlock.integration;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.leader.event.LeaderEventPublisher;

import io.distributedlock.LockKeys;

/**
 * Publishes the leadership of a role to the application, one event after the other, so
 * that whatever one event starts is up before the next one stops it. A listener that is
 * still working for a leadership that has ended is interrupted.
 */
final class LeaderEventDispatcher {

	private static final Logger logger = LoggerFactory.getLogger(LeaderEventDispatcher.class);

	private final Object source;

	private final LeaderEventPublisher publisher;

	private final Executor executor;

	// Guarded by the monitor.
	private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

	// The leadership that is being published, and the publishing thread; guarded by the
	// monitor.
	private @Nullable Leadership granting;

	private @Nullable Thread thread;

	// The leadership that was published last. Passed on from one announcement to the
	// next, which run one after the other.
	private @Nullable Leadership told;

	LeaderEventDispatcher(Object source, LeaderEventPublisher publisher, Executor executor) {
		this.source = source;
		this.publisher = publisher;
		this.executor = executor;
	}

	synchronized void granted(Leadership leadership) {
		this.last = this.last.thenRunAsync(() -> tellGranted(leadership), this.executor);
	}

	/**
	 * Publish the end of a leadership that {@linkplain Leadership#end() is over}.
	 * @return completed when all listeners have been notified
	 */
	synchronized CompletableFuture<Void> revoked(Leadership leadership) {
		if (this.granting == leadership && this.thread != null && this.thread != Thread.currentThread()) {
			this.thread.interrupt();
		}
		this.last = this.last.thenRunAsync(() -> tellRevoked(leadership), this.executor);
		return this.last;
	}

	/**
	 * Return a future that completes when all events so far have been published.
	 */
	synchronized CompletableFuture<Void> settled() {
		return this.last;
	}

	private void tellGranted(Leadership leadership) {
		if (!begin(leadership)) {
			return;
		}
		try {
			this.publisher.publishOnGranted(this.source, leadership, leadership.getRole());
		}
		catch (Throwable ex) {
			logger.warn("A listener failed when it was notified that this application leads '{}'",
					LockKeys.printable(leadership.getRole()), ex);
		}
		finally {
			end();
		}
	}

	/**
	 * Check whether the leadership still has to be published, and allow an interrupt of
	 * this thread from then on.
	 */
	private synchronized boolean begin(Leadership leadership) {
		if (!leadership.isLeader()) {
			return false;
		}
		this.told = leadership;
		this.granting = leadership;
		this.thread = Thread.currentThread();
		return true;
	}

	private synchronized void end() {
		this.granting = null;
		this.thread = null;
		Thread.interrupted();
	}

	private void tellRevoked(Leadership leadership) {
		if (this.told != leadership) {
			return;
		}
		this.told = null;
		try {
			this.publisher.publishOnRevoked(this.source, leadership, leadership.getRole());
		}
		catch (Throwable ex) {
			logger.warn("A listener failed when it was notified that this application no longer leads '{}'",
					LockKeys.printable(leadership.getRole()), ex);
		}
	}

}
