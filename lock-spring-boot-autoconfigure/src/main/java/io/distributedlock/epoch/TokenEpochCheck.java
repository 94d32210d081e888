package io.distributedlock.epoch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;

/**
 * Makes sure that a store is at the epoch of this instance. The store is asked only when
 * locks are requested, so an idle instance costs nothing. An answer is valid for
 * {@link #VALIDITY} from the moment when the question was <em>sent</em>. After
 * {@link #DUE} the next attempt starts another question without waiting for the answer.
 * <p>
 * An instance that raises the epoch announces that first, and waits for {@link #WAIT}
 * after it has seen the announcement at the store. An instance with an earlier epoch has
 * either asked before the announcement, and then its answer is no longer valid, or asks
 * afterwards and is refused. The validity is counted on both clocks, because the
 * monotonic one stands still while a machine is suspended.
 * <p>
 * Thread-safe. One round of questions is under way at a time. {@link EpochRound} asks the
 * questions and decides what follows from the answers.
 */
final class TokenEpochCheck {

	/**
	 * How long an answer of the store is valid.
	 */
	static final Duration VALIDITY = Duration.ofSeconds(60);

	/**
	 * The time after which the store is asked again.
	 */
	static final Duration DUE = Duration.ofSeconds(20);

	/**
	 * The time from the announcement of an epoch until it comes into force: the validity
	 * of answers to other instances, plus the greatest accepted difference between their
	 * clocks and this one.
	 */
	static final Duration WAIT = VALIDITY.plus(LockClock.driftAllowance(VALIDITY).multipliedBy(2));

	/**
	 * How often the store is asked while the epoch is being raised.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	/**
	 * How long knowledge about a new store counts without a question. Stores remember
	 * ticks for a day at least.
	 */
	private static final Duration OLDEST_LOOK = Duration.ofHours(1);

	private static final Logger logger = LoggerFactory.getLogger(TokenEpochCheck.class);

	private final String store;

	private final EpochMarkRequest request;

	private final TokenEpoch epoch;

	private final LockClock clock;

	private final Duration wait;

	// Written by the only round under way; read by all attempts. An attempt that reads an
	// older value asks once more than necessary.
	private volatile @Nullable ClockReading confirmed;

	// Whether the latest round was not answered. Written and read like the field above.
	private volatile boolean unanswered;

	// Written once, by the round that found it.
	private volatile EpochVerdict.@Nullable Refused refused;

	// The fields below are guarded by the monitor.
	private @Nullable CompletableFuture<EpochVerdict> running;

	private long runningUntil;

	private EpochVerdict.@Nullable Raising raising;

	private long raisingAskedAt;

	private @Nullable Long newSince;

	private @Nullable ClockReading ownLook;

	private @Nullable ClockReading asked;

	TokenEpochCheck(String store, BackendConnection connection, TokenEpoch epoch, LockClock clock, Duration wait) {
		this.store = store;
		this.request = new EpochMarkRequest(store, connection);
		this.epoch = epoch;
		this.clock = clock;
		this.wait = wait;
	}

	/**
	 * Return the exception for a store that does not answer.
	 */
	LockUnavailableException unanswered(Duration timeout) {
		return this.request.unanswered(timeout);
	}

	/**
	 * Return whether the store is known to be at the epoch of this instance now.
	 */
	boolean isConfirmed() {
		ClockReading current = this.confirmed;
		return current != null && this.refused == null && current.age(this.clock).compareTo(VALIDITY) < 0;
	}

	/**
	 * Return whether the store has been at the epoch of this instance and has not refused
	 * it since.
	 */
	boolean wasConfirmed() {
		return this.confirmed != null && this.refused == null;
	}

	/**
	 * Return whether the latest question has not been answered.
	 */
	boolean isUnanswered() {
		return this.unanswered;
	}

	/**
	 * Return the permanent refusal of this instance, if there was one.
	 */
	EpochVerdict.@Nullable Refused refused() {
		return this.refused;
	}

	/**
	 * Return whether the store should be asked again.
	 */
	boolean isDue() {
		ClockReading current = this.confirmed;
		return current == null || current.age(this.clock).compareTo(DUE) >= 0;
	}

	/**
	 * Ask the store, unless a round is under way or the answer is known already.
	 * @param timeout how long the store may take
	 * @return the verdict, never completed exceptionally
	 */
	CompletableFuture<EpochVerdict> check(Duration timeout) {
		CompletableFuture<EpochVerdict> verdict;
		EpochRound round;
		synchronized (this) {
			if (this.refused != null) {
				return CompletableFuture.completedFuture(this.refused);
			}
			long now = this.clock.nanoTime();
			long deadline = now + timeout.toNanos();
			if (this.running != null) {
				return (this.runningUntil - deadline >= 0) ? this.running : orAgain(this.running, deadline);
			}
			EpochVerdict.Raising known = this.raising;
			if (known != null && known.until() - now > 0 && now - this.raisingAskedAt < PAUSE.toNanos()) {
				return CompletableFuture.completedFuture(known);
			}
			forgetLooksOfLongAgo();
			verdict = new CompletableFuture<>();
			this.running = verdict;
			this.runningUntil = deadline;
			round = new EpochRound(this.request, this.epoch.value(), this.confirmed != null, known, this.newSince,
					this.ownLook, this.wait, this.clock, deadline);
		}
		round.start().thenAccept((result) -> {
			take(result);
			verdict.complete(result.verdict());
		});
		return verdict;
	}

	/**
	 * Drop knowledge about looks of long ago. The store may have forgotten them
	 * meanwhile, and a look found now may be another one.
	 */
	private void forgetLooksOfLongAgo() {
		if (this.asked != null && this.asked.age(this.clock).compareTo(OLDEST_LOOK) >= 0) {
			this.newSince = null;
			this.ownLook = null;
		}
		this.asked = ClockReading.now(this.clock);
	}

	/**
	 * Wait for a round that ends earlier than the caller's deadline, and begin another
	 * for the rest of the time if the verdict is unknown.
	 */
	private CompletableFuture<EpochVerdict> orAgain(CompletableFuture<EpochVerdict> shorter, long deadline) {
		return shorter.thenCompose((found) -> {
			Duration left = Duration.ofNanos(deadline - this.clock.nanoTime());
			boolean again = found instanceof EpochVerdict.Unknown && left.compareTo(Duration.ofMillis(1)) > 0;
			return again ? check(left) : CompletableFuture.completedFuture(found);
		});
	}

	/**
	 * Apply the result of a round.
	 */
	private synchronized void take(EpochRound.Result result) {
		this.running = null;
		this.newSince = result.newSince();
		this.ownLook = result.ownLook();
		EpochVerdict verdict = result.verdict();
		this.unanswered = verdict instanceof EpochVerdict.Unknown;
		if (verdict instanceof EpochVerdict.Confirmed) {
			if (this.raising != null) {
				logger.info("The store '{}' is at token epoch {} now", this.store, this.epoch.value());
			}
			this.raising = null;
			this.ownLook = null;
			this.confirmed = result.confirmation();
		}
		else if (verdict instanceof EpochVerdict.Refused greater) {
			this.refused = greater;
		}
		else if (verdict instanceof EpochVerdict.Raising begun) {
			if (this.raising == null) {
				logger.warn(
						"The store '{}' is being raised to token epoch {} and grants no locks for {}: until then"
								+ " instances with an earlier epoch may still be granted some",
						this.store, this.epoch.value(), this.wait);
			}
			this.raising = begun;
			this.raisingAskedAt = this.clock.nanoTime();
		}
	}

}
