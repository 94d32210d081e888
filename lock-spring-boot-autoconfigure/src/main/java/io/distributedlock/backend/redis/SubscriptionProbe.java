package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.distributedlock.spi.LockClock;

/**
 * Finds out whether a subscription still hears: nothing tells that of one that has fallen
 * silent. Where no message has come for a while, one is sent to all who listen, so that
 * of many clients hardly more than one sends it.
 */
final class SubscriptionProbe {

	/**
	 * How long no message may come before one is sent.
	 */
	static final Duration QUIET = Duration.ofSeconds(5);

	private final Supplier<CompletionStage<?>> sender;

	private final Duration patience;

	private final LockClock clock;

	private volatile long heardAt;

	/**
	 * Create a probe.
	 * @param sender sends a message to all who listen
	 * @param patience how long it may take to arrive
	 * @param clock the clock of this JVM
	 */
	SubscriptionProbe(Supplier<CompletionStage<?>> sender, Duration patience, LockClock clock) {
		this.sender = sender;
		this.patience = patience;
		this.clock = clock;
	}

	/**
	 * Take note of a message, or of the confirmation of the subscription.
	 */
	void heard() {
		this.heardAt = this.clock.nanoTime();
	}

	/**
	 * Send a message that names no lock to all who listen.
	 */
	CompletionStage<?> send() {
		return this.sender.get();
	}

	/**
	 * Look whether the subscription hears.
	 * @param deaf is run if it does not
	 * @param after is run then or otherwise, to look again some time
	 */
	void look(Runnable deaf, Runnable after) {
		if (this.clock.nanoTime() - this.heardAt < QUIET.toNanos()) {
			after.run();
			return;
		}
		long before = this.heardAt;
		send().whenComplete((sent, fault) -> {
			if (fault != null) {
				// Neither the one nor the other is shown.
				after.run();
				return;
			}
			this.clock.schedule(this.patience, () -> {
				if (this.heardAt == before) {
					deaf.run();
				}
				after.run();
			});
		});
	}

}
