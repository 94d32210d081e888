package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

	// Why the latest try has failed.
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
	 * Subscribe, unless that was done or is of no use now.
	 */
	void open() {
		Link next;
		synchronized (this) {
			if (this.current != null || this.pausing || isUnsupported()) {
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
		close(null);
	}

	/**
	 * End the subscription for good.
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

		// Set under the monitor of the source's subscription, once it is confirmed.
		private volatile @Nullable ReleaseSubscription subscription;

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
			boolean regained;
			synchronized (owner) {
				late = owner.current != this;
				regained = owner.interrupted;
				if (!late) {
					this.subscription = confirmed;
					owner.interrupted = false;
					owner.failures = 0;
					owner.failure = null;
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
				owner.interrupted |= this.subscription != null;
				owner.failure = fault;
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
			SourceSubscription owner = SourceSubscription.this;
			if (owner.current != this) {
				return;
			}
			if (!owner.notifications.isWanted()) {
				checkLater(confirmed);
				return;
			}
			CompletableFuture<?> sign = checked(confirmed);
			LockClock.Timeout end = owner.clock.schedule(timeout,
					() -> sign.completeExceptionally(new TimeoutException("There was no sign of life")));
			sign.whenComplete((done, fault) -> {
				end.cancel();
				if (fault != null && owner.current == this && !confirmed.reset()) {
					ended(fault);
				}
				checkLater(confirmed);
			});
		}

		private static CompletableFuture<?> checked(ReleaseSubscription confirmed) {
			try {
				return confirmed.check().toCompletableFuture();
			}
			catch (RuntimeException ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

	}

}
