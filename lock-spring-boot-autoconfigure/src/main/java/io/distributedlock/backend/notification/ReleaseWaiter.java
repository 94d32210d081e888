package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Wakes one contender when its lock is released, from {@link #join()} to
 * {@link #leave()}. Where several sources publish the release of one lock, the contender
 * is woken when a majority has done so, or soon after the first. Public for the stores
 * only.
 *
 * @since 0.1.0
 */
public final class ReleaseWaiter {

	/**
	 * How long other sources are waited for after the first: an attempt that meets the
	 * release at some of them only would have to be repeated.
	 */
	private static final Duration TOGETHER = Duration.ofMillis(5);

	private static final Logger logger = LoggerFactory.getLogger(ReleaseWaiter.class);

	private final ReleaseNotifications notifications;

	private final String key;

	private final Runnable wakeUp;

	// All are guarded by this object's monitor: which sources have published a release
	// since the last wake-up, and the wake-up that is scheduled for them.
	private final Set<Integer> publishers = new HashSet<>();

	private LockClock.@Nullable Timeout soon;

	private boolean joined;

	ReleaseWaiter(ReleaseNotifications notifications, String key, Runnable wakeUp) {
		this.notifications = notifications;
		this.key = key;
		this.wakeUp = wakeUp;
	}

	/**
	 * Join the waiters, unless that was done before. Has to come before the attempt that
	 * leaves the mark: then no release that follows the mark is missed if notifications
	 * are reliable.
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
	 * See to it that the sources are subscribed to. Comes after an attempt that has found
	 * the lock busy, so that a lock that is free costs no subscription.
	 */
	public void subscribe() {
		this.notifications.subscribe();
	}

	/**
	 * Leave the waiters, if this is one of them.
	 */
	public synchronized void leave() {
		forgetReleases();
		if (this.joined) {
			this.joined = false;
			this.notifications.remove(this);
		}
	}

	String key() {
		return this.key;
	}

	/**
	 * Take note that a source has published a release.
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
	 * Wake the contender, outside of the monitor: it may attempt, or leave, at once.
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
		this.publishers.clear();
		if (this.soon != null) {
			this.soon.cancel();
			this.soon = null;
		}
	}

}
