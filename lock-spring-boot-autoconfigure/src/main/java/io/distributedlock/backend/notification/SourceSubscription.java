package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Keeps one source subscribed. There is one subscription at a time. It is checked while
 * there are waiters, and made again after a pause when it has ended.
 */
final class SourceSubscription {

	private static final Logger logger = LoggerFactory.getLogger(SourceSubscription.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private final ReleaseNotifications notifications;

	private final int index;

	private final NotificationSource source;

	private final @Nullable SubscriptionChecks checks;

	private final LockClock clock;

	private final Supplier<? extends RandomGenerator> random;

	// This object's monitor guards the following fields; the volatile ones are read
	// without it. The subscription, or the try to subscribe, that counts.
	private volatile @Nullable Link current;

	// Why the latest try failed.
	private volatile @Nullable Throwable failure;

	private int failures;

	private boolean pausing;

	// Whether a subscription has ended since the last one: releases were missed.
	private boolean interrupted;

	SourceSubscription(ReleaseNotifications notifications, int index, NotificationSource source,
			@Nullable SubscriptionChecks checks, LockClock clock, Supplier<? extends RandomGenerator> random) {
		this.notifications = notifications;
		this.index = index;
		this.source = source;
		this.checks = checks;
		this.clock = clock;
		this.random = random;
	}

	int index() {
		return this.index;
	}

	boolean isSubscribed() {
		Link link = this.current;
		return link != null && link.subscription != null;
	}

	/**
	 * Return whether there is a subscription, or a try to subscribe.
	 */
	boolean isOpen() {
		return this.current != null;
	}

	boolean isUnsupported() {
		return this.failure instanceof UnsupportedOperationException;
	}

	@Nullable LockRefusedException refusal() {
		return (this.failure instanceof LockRefusedException refusal) ? refusal : null;
	}

	/**
	 * Subscribe, unless there is a subscription or try already, the pause after a failure
	 * lasts, or the source can't subscribe.
	 */
	void open() {
		Link link = new Link();
		synchronized (this) {
			if (this.current != null || this.pausing || isUnsupported()) {
				return;
			}
			this.current = link;
		}
		CompletableFuture.<ReleaseListener>completedStage(link)
			.thenCompose(this.source::subscribe)
			.whenComplete((confirmed, fault) -> {
				if (confirmed != null) {
					confirmed(link, confirmed);
				}
				else {
					ended(link, fault);
				}
			});
	}

	private void confirmed(Link link, ReleaseSubscription confirmed) {
		boolean late;
		boolean regained;
		synchronized (this) {
			late = this.current != link;
			regained = this.interrupted;
			if (!late) {
				link.subscription = confirmed;
				this.interrupted = false;
				this.failures = 0;
				this.failure = null;
			}
		}
		if (late) {
			confirmed.close();
			return;
		}
		checkLater(link, confirmed);
		this.notifications.changed(regained);
	}

	private void checkLater(Link link, ReleaseSubscription confirmed) {
		if (this.checks != null) {
			Duration timeout = this.checks.timeout();
			this.clock.schedule(this.checks.interval(), () -> check(link, confirmed, timeout));
		}
	}

	private void check(Link link, ReleaseSubscription confirmed, Duration timeout) {
		if (this.current != link) {
			return;
		}
		if (!this.notifications.isWanted()) {
			checkLater(link, confirmed);
			return;
		}
		CompletableFuture<?> sign = CompletableFuture.completedFuture(confirmed)
			.thenCompose(ReleaseSubscription::check);
		this.clock.scheduleUnlessDone(sign, timeout,
				() -> sign.completeExceptionally(new TimeoutException("There was no sign of life")));
		sign.whenComplete((done, fault) -> {
			if (fault != null && this.current == link && !confirmed.reset()) {
				ended(link, fault);
			}
			checkLater(link, confirmed);
		});
	}

	private void ended(Link link, @Nullable Throwable fault) {
		synchronized (this) {
			if (this.current != link) {
				return;
			}
			this.current = null;
			this.interrupted |= link.subscription != null;
			this.failure = (fault != null) ? CompletionCauses.unwrap(fault) : null;
			if (!isUnsupported()) {
				this.pausing = true;
				this.clock.schedule(nextPause(), this::goOn);
			}
		}
		logger.debug("Releases of locks are not notified until there is a new subscription", fault);
		this.notifications.changed(false);
	}

	private Duration nextPause() {
		Duration most = FIRST_PAUSE.multipliedBy(1L << Math.min(this.failures++, 10));
		long half = ((most.compareTo(LONGEST_PAUSE) < 0) ? most : LONGEST_PAUSE).toNanos() / 2;
		return Duration.ofNanos(half + this.random.get().nextLong(half));
	}

	private void goOn() {
		synchronized (this) {
			this.pausing = false;
		}
		this.notifications.subscribe();
	}

	/**
	 * End the subscription, or the try to subscribe.
	 */
	void close() {
		close(null);
	}

	/**
	 * End the subscription permanently.
	 */
	void stop() {
		close(new UnsupportedOperationException("The locks were stopped"));
	}

	private void close(@Nullable Throwable reason) {
		ReleaseSubscription confirmed;
		synchronized (this) {
			Link link = this.current;
			this.current = null;
			this.failure = (reason != null) ? reason : this.failure;
			confirmed = (link != null) ? link.subscription : null;
		}
		if (confirmed != null) {
			confirmed.close();
		}
	}

	/**
	 * One subscription, from the try to subscribe to its end. It counts only while it is
	 * the current one, so that it ends once.
	 */
	private final class Link implements ReleaseListener {

		// Set under the monitor of the source's subscription, once it is confirmed.
		private volatile @Nullable ReleaseSubscription subscription;

		@Override
		public void released(String key) {
			SourceSubscription.this.notifications.released(key, SourceSubscription.this.index);
		}

		@Override
		public void resubscribed() {
			if (SourceSubscription.this.current == this) {
				SourceSubscription.this.notifications.changed(true);
			}
		}

		@Override
		public void ended() {
			SourceSubscription.this.ended(this, null);
		}

	}

}
