package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Wakes one contender when its lock, or one of its locks, is released, from
 * {@link #join()} to {@link #leave()}. If several sources publish a release, the
 * contender is woken when a majority has done so, or soon after the first. Public for the
 * stores only.
 *
 * @since 0.1.0
 */
public final class ReleaseWaiter {

	/**
	 * How long to wait for other sources after the first. An attempt that finds the lock
	 * released at only some of the sources would have to be repeated.
	 */
	private static final Duration TOGETHER = Duration.ofMillis(5);

	private static final Logger logger = LoggerFactory.getLogger(ReleaseWaiter.class);

	private final ReleaseNotifications notifications;

	private final List<String> keys;

	private final Runnable wakeUp;

	// All three are guarded by this object's monitor. The sources that have published a
	// release since the last wake-up, and the wake-up that is scheduled for them.
	private final Set<Integer> publishers = new HashSet<>(4);

	private LockClock.@Nullable Timeout soon;

	private boolean joined;

	ReleaseWaiter(ReleaseNotifications notifications, List<String> keys, Runnable wakeUp) {
		this.notifications = notifications;
		this.keys = keys;
		this.wakeUp = wakeUp;
	}

	/**
	 * Join the waiters, unless this waiter has joined already. Must be called before the
	 * attempt that leaves the mark. If notifications are reliable, no release after the
	 * mark is then missed.
	 * @return whether notifications are reliable
	 */
	public synchronized boolean join() {
		if (!this.joined) {
			this.joined = true;
			this.notifications.add(this);
		}
		return this.notifications.state() == NotificationState.RELIABLE;
	}

	/**
	 * Subscribe to the sources if necessary. Called after an attempt that has found the
	 * lock busy, so that a free lock costs no subscription.
	 */
	public void subscribe() {
		this.notifications.subscribe();
	}

	/**
	 * Leave the waiters, if this waiter has joined them.
	 */
	public synchronized void leave() {
		forgetReleases();
		if (this.joined) {
			this.joined = false;
			this.notifications.remove(this);
		}
	}

	List<String> keys() {
		return this.keys;
	}

	/**
	 * Record that a source has published a release.
	 * @param source the index of the source
	 * @param quorum how many sources are a majority
	 * @param clock the clock
	 */
	void released(int source, int quorum, LockClock clock) {
		synchronized (this) {
			this.publishers.add(source);
			if (this.publishers.size() < quorum) {
				if (this.soon == null) {
					this.soon = clock.schedule(TOGETHER, this::wake);
				}
				return;
			}
		}
		wake();
	}

	/**
	 * Wake the contender. This is done outside of the monitor, because the contender may
	 * attempt, or leave, at once.
	 */
	void wake() {
		synchronized (this) {
			forgetReleases();
		}
		try {
			this.wakeUp.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A waiter for a lock could not be woken", ex);
		}
	}

	private void forgetReleases() {
		if (this.publishers.isEmpty()) {
			// Nothing was published, so no wake-up is scheduled either.
			return;
		}
		if (this.soon != null) {
			this.soon.cancel();
			this.soon = null;
		}
		this.publishers.clear();
	}

}
