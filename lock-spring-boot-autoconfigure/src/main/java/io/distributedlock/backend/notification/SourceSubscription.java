package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;

/**
 * Keeps one source subscribed: by one subscription at a time, which is checked while
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

	// The monitor of this object guards what follows; the volatile fields are read
	// without it. The subscription, or the try to subscribe, that counts.
	private volatile @Nullable Link current;

	private volatile boolean subscribed;

	// Why the latest try has failed, if that is for good.
	private volatile @Nullable RuntimeException refusal;

	private int failures;

	private boolean pausing;

	private boolean stopped;

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
		return this.subscribed;
	}

	/**
	 * Return whether there is a subscription, or a try to subscribe.
	 */
	boolean isOpen() {
		return this.current != null;
	}

	boolean isUnsupported() {
		return this.refusal instanceof UnsupportedOperationException;
	}

	@Nullable LockRefusedException refusal() {
		return (this.refusal instanceof LockRefusedException refused) ? refused : null;
	}

	/**
	 * Subscribe, unless that was done or is of no use now.
	 */
	void open() {
		Link next;
		synchronized (this) {
			if (this.current != null || this.pausing || this.stopped || isUnsupported()) {
				return;
			}
			next = new Link();
			this.current = next;
		}
		next.open();
	}

	/**
	 * End the subscription, or the try to subscribe.
	 */
	void close() {
		Link link;
		ReleaseSubscription confirmed;
		synchronized (this) {
			link = this.current;
			this.current = null;
			this.subscribed = false;
			confirmed = (link != null) ? link.subscription : null;
		}
		if (confirmed != null) {
			confirmed.close();
		}
	}

	void stop() {
		synchronized (this) {
			this.stopped = true;
		}
		close();
	}

	private void goOn() {
		synchronized (this) {
			this.pausing = false;
		}
		this.notifications.subscribe();
	}

	private Duration nextPause() {
		Duration most = FIRST_PAUSE.multipliedBy(1L << Math.min(this.failures++, 10));
		long half = ((most.compareTo(LONGEST_PAUSE) < 0) ? most : LONGEST_PAUSE).toNanos() / 2;
		return Duration.ofNanos(half + this.random.get().nextLong(half));
	}

	/**
	 * One subscription, from the try to subscribe to its end. It counts as long as it is
	 * the current one, so that it ends once.
	 */
	private final class Link implements ReleaseListener {

		// Guarded by the monitor of the source's subscription.
		private @Nullable ReleaseSubscription subscription;

		void open() {
			CompletionStage<? extends ReleaseSubscription> subscribing;
			try {
				subscribing = SourceSubscription.this.source.subscribe(this);
			}
			catch (RuntimeException ex) {
				subscribing = CompletableFuture.failedStage(ex);
			}
			subscribing.whenComplete((confirmed, fault) -> {
				if (confirmed != null) {
					confirmed(confirmed);
				}
				else {
					ended(CompletionCauses.unwrap(fault));
				}
			});
		}

		private void confirmed(ReleaseSubscription confirmed) {
			SourceSubscription owner = SourceSubscription.this;
			boolean late;
			boolean regained = false;
			synchronized (owner) {
				late = owner.current != this;
				if (!late) {
					this.subscription = confirmed;
					regained = owner.interrupted;
					owner.interrupted = false;
					owner.failures = 0;
					owner.refusal = null;
					owner.subscribed = true;
				}
			}
			if (late) {
				confirmed.close();
				return;
			}
			checkLater(confirmed);
			owner.notifications.changed(regained);
		}

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
			ended(null);
		}

		private void ended(@Nullable Throwable fault) {
			SourceSubscription owner = SourceSubscription.this;
			synchronized (owner) {
				if (owner.current != this) {
					return;
				}
				owner.current = null;
				owner.interrupted |= owner.subscribed;
				owner.subscribed = false;
				owner.refusal = (fault instanceof LockRefusedException
						|| fault instanceof UnsupportedOperationException) ? (RuntimeException) fault : null;
				if (!owner.isUnsupported()) {
					owner.pausing = true;
					owner.clock.schedule(nextPause(), owner::goOn);
				}
			}
			logger.debug("Releases of locks are not notified until there is a new subscription", fault);
			owner.notifications.changed(false);
		}

		private void checkLater(ReleaseSubscription confirmed) {
			SubscriptionChecks checks = SourceSubscription.this.checks;
			if (checks != null) {
				SourceSubscription.this.clock.schedule(checks.interval(), () -> check(confirmed, checks.timeout()));
			}
		}

		private void check(ReleaseSubscription confirmed, Duration timeout) {
			if (SourceSubscription.this.current != this) {
				return;
			}
			if (!SourceSubscription.this.notifications.isWanted()) {
				checkLater(confirmed);
				return;
			}
			CompletableFuture<Void> alive = new CompletableFuture<>();
			LockClock.Timeout end = SourceSubscription.this.clock.schedule(timeout, () -> alive
				.completeExceptionally(new LockUnavailableException("The subscription gives no sign of life")));
			alive.whenComplete((done, fault) -> {
				end.cancel();
				if (fault != null && SourceSubscription.this.current == this && !confirmed.reset()) {
					ended(fault);
				}
				checkLater(confirmed);
			});
			confirmed.check().whenComplete((done, fault) -> {
				if (fault != null) {
					alive.completeExceptionally(fault);
				}
				else {
					alive.complete(null);
				}
			});
		}

	}

}
