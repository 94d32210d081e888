package io.distributedlock.epoch;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;

/**
 * One round of questions to a store about its epoch: a look first, which is granted where
 * the store knows of no epoch, and then what has to be written, if anything.
 * <p>
 * Its steps follow each other on the threads that complete the answers, and happen one
 * before the other; the fields need no lock for that. The timer only completes the
 * result, which is decided once.
 */
final class EpochRound {

	/**
	 * For how long a store that was looked at is left to the instance that has found it
	 * new.
	 */
	private static final Duration GRACE = Duration.ofSeconds(5);

	/**
	 * How long after its look an instance may claim a new store.
	 */
	private static final Duration AT_ONCE = Duration.ofSeconds(10);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

	/**
	 * How old the mark in a store gets. Stores remember ticks for a day at least.
	 */
	private static final long OLDEST_SECONDS = Duration.ofHours(1).toSeconds();

	private static final int MOST_BUSY_LOOKS = 5;

	private final EpochMarkRequest request;

	private final int epoch;

	private final boolean confirmedBefore;

	private final EpochVerdict.@Nullable Raising raising;

	// When this instance has first seen the look of another. Read by the timer, too.
	private volatile @Nullable Long newSince;

	private final Duration wait;

	private final LockClock clock;

	private final long deadline;

	private final CompletableFuture<Result> result = new CompletableFuture<>();

	private int busyLooks;

	// When this instance has found the store new. Read by the timer, too.
	private volatile @Nullable ClockReading ownLook;

	/**
	 * Create a round.
	 * @param request asks the store
	 * @param epoch the epoch of this instance
	 * @param confirmedBefore whether the store has ever confirmed it
	 * @param raising since when the store is known to be raised to it, if it is
	 * @param newSince since when the store is known to be new to another instance, by the
	 * monotonic clock
	 * @param ownLook when this instance sent the look that has found the store new, if it
	 * has
	 * @param wait how long after its announcement an epoch comes into force
	 * @param clock the time
	 * @param deadline the monotonic time at which the round ends at the latest
	 */
	EpochRound(EpochMarkRequest request, int epoch, boolean confirmedBefore, EpochVerdict.@Nullable Raising raising,
			@Nullable Long newSince, @Nullable ClockReading ownLook, Duration wait, LockClock clock, long deadline) {
		this.request = request;
		this.epoch = epoch;
		this.confirmedBefore = confirmedBefore;
		this.raising = raising;
		this.ownLook = ownLook;
		this.wait = wait;
		this.clock = clock;
		this.deadline = deadline;
		this.newSince = newSince;
	}

	/**
	 * Ask. The round ends a little later than the store may take to answer, so that the
	 * store can say why there is no answer.
	 */
	CompletableFuture<Result> start() {
		Duration timeout = left();
		this.clock.scheduleUnlessDone(this.result, timeout.plus(timeout.dividedBy(50)),
				() -> end(new EpochVerdict.Unknown(this.request.unanswered(timeout))));
		look();
		return this.result;
	}

	private Duration left() {
		return Duration.ofNanos(Math.max(0, this.deadline - this.clock.nanoTime()));
	}

	private void look() {
		ask(EpochMark.LOOK, (sent) -> this.ownLook = sent, (sent, outcome) -> {
			if (outcome instanceof AttemptOutcome.Granted) {
				claim();
			}
			else if (outcome instanceof AttemptOutcome.Done done) {
				judge(sent, EpochMark.of(done.tick()), EpochMark.of(done.latest()));
			}
			else if (++this.busyLooks > MOST_BUSY_LOOKS && this.confirmedBefore) {
				// Where some of several nodes have lost the mark, no majority can tell
				// it. To write it anew needs only that none of them knows a greater one.
				writeInForce();
			}
			else {
				later((AttemptOutcome.Busy) outcome, this::look);
			}
		});
	}

	/**
	 * Return whether this instance has found the store new, and others still leave it to
	 * it.
	 */
	private boolean isFinder() {
		ClockReading found = this.ownLook;
		return found != null && found.age(this.clock).compareTo(AT_ONCE) < 0;
	}

	/**
	 * Write the first epoch of a store that this instance has found new. Other instances
	 * write none before {@link #AT_ONCE} is over. An announcement that is answered by
	 * then keeps all earlier epochs out for good, so that the epoch is in force at once,
	 * however late that is written; one that is answered later may have come after them.
	 */
	private void claim() {
		if (!isFinder()) {
			look();
		}
		else if (this.epoch == 0) {
			writeInForce();
		}
		else {
			announce(() -> {
				if (isFinder()) {
					writeInForce();
				}
				else {
					look();
				}
			});
		}
	}

	/**
	 * Judge what the store knows.
	 * @param certain the mark that it is certain of
	 * @param latest the greatest that any part of it has named
	 */
	private void judge(ClockReading sent, EpochMark certain, EpochMark latest) {
		if (latest.level() > inForce().level()) {
			end(new EpochVerdict.Refused(latest));
		}
		else if (certain.level() == inForce().level()) {
			if (inForce().second() - certain.second() > OLDEST_SECONDS) {
				refresh();
			}
			end(new EpochVerdict.Confirmed(), sent);
		}
		else if (latest.level() == inForce().level()) {
			// Some of several nodes have missed it. The instance that wrote it to the
			// others had waited.
			writeInForce();
		}
		else if (certain.level() == EpochMark.raisingLevel(this.epoch)) {
			raise(certain);
		}
		else if (certain.isLook() && isFinder()) {
			claim();
		}
		else if (certain.isLook() && isLeftToFinder()) {
			leaveToFinder();
		}
		else if (this.epoch == 0) {
			// No epoch is earlier, so that no instance has to notice.
			writeInForce();
		}
		else {
			announce(this::look);
		}
	}

	/**
	 * Return whether the store is still left to the instance that has found it new. An
	 * instance with epoch 0 waits until that one must have claimed the store; any other
	 * announces its epoch and waits then. The time counts from when this instance has
	 * seen the look, which is later than it was sent.
	 */
	private boolean isLeftToFinder() {
		long now = this.clock.nanoTime();
		if (this.newSince == null) {
			this.newSince = now;
		}
		Duration time = (this.epoch > 0) ? GRACE : AT_ONCE.plus(LockClock.driftAllowance(AT_ONCE).multipliedBy(2));
		return now - this.newSince < time.toNanos();
	}

	private void leaveToFinder() {
		if (left().compareTo(LONGEST_PAUSE.multipliedBy(2)) > 0) {
			this.clock.schedule(LONGEST_PAUSE, this::look);
			return;
		}
		LockUnavailableException reason = new LockUnavailableException(
				"Another instance is about to write the first token epoch of the store '" + this.request.store() + "'");
		this.result.complete(new Result(new EpochVerdict.Unknown(reason), null, this.newSince, this.ownLook));
	}

	/**
	 * Announce that the epoch is being raised.
	 * @param next what to do when the store has taken the announcement
	 */
	private void announce(Runnable next) {
		ask(EpochMark.raising(this.epoch, this.clock.wallMillis()), (sent, outcome) -> {
			if (outcome instanceof AttemptOutcome.Busy busy) {
				later(busy, this::look);
			}
			else if (outcome instanceof AttemptOutcome.Granted) {
				next.run();
			}
			else {
				this.clock.schedule(LONGEST_PAUSE, this::look);
			}
		});
	}

	/**
	 * Wait since this announcement was seen first. A later one shows that the store has
	 * forgotten that, or that another instance has announced the same.
	 */
	private void raise(EpochMark announced) {
		long now = this.clock.nanoTime();
		if (this.raising == null || announced.second() > this.raising.announced().second()) {
			end(new EpochVerdict.Raising(now + this.wait.toNanos(), announced));
		}
		else if (this.raising.until() - now > 0) {
			end(this.raising);
		}
		else {
			writeInForce();
		}
	}

	private void writeInForce() {
		ask(inForce(), (sent, outcome) -> {
			if (outcome instanceof AttemptOutcome.Granted) {
				end(new EpochVerdict.Confirmed(), sent);
			}
			else if (outcome instanceof AttemptOutcome.Done) {
				this.busyLooks = 0;
				this.clock.schedule(LONGEST_PAUSE, this::look);
			}
			else {
				later((AttemptOutcome.Busy) outcome, this::look);
			}
		});
	}

	/**
	 * Have the store remember the mark for longer, without waiting for it.
	 */
	private void refresh() {
		this.request.ask(inForce(), left(), () -> {
		});
	}

	private EpochMark inForce() {
		return EpochMark.inForce(this.epoch, this.clock.wallMillis());
	}

	private void ask(EpochMark mark, BiConsumer<ClockReading, AttemptOutcome> next) {
		ask(mark, (sent) -> {
		}, next);
	}

	private void ask(EpochMark mark, Consumer<ClockReading> granted, BiConsumer<ClockReading, AttemptOutcome> next) {
		if (this.result.isDone()) {
			return;
		}
		ClockReading sent = ClockReading.now(this.clock);
		this.request.ask(mark, left(), () -> granted.accept(sent)).whenComplete((outcome, failure) -> {
			if (failure != null) {
				end(new EpochVerdict.Unknown(failure));
			}
			else if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
				end(new EpochVerdict.Unknown(unavailable.cause()));
			}
			else if (!this.result.isDone()) {
				guarded(() -> next.accept(sent, outcome));
			}
		});
	}

	private void later(AttemptOutcome.Busy busy, Runnable step) {
		Duration pause = busy.pollAfter();
		this.clock.schedule((pause.compareTo(LONGEST_PAUSE) < 0) ? pause : LONGEST_PAUSE, () -> guarded(step));
	}

	private void guarded(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException ex) {
			end(new EpochVerdict.Unknown(ex));
		}
	}

	private void end(EpochVerdict verdict) {
		this.result.complete(new Result(verdict, null, null, this.ownLook));
	}

	private void end(EpochVerdict verdict, ClockReading sent) {
		this.result.complete(new Result(verdict, sent, null, this.ownLook));
	}

	/**
	 * What a round has found.
	 *
	 * @param verdict the verdict
	 * @param confirmation when the question was sent whose answer confirms the epoch
	 * @param newSince since when the store is known to be new to another instance
	 * @param ownLook when this instance sent the look that has found the store new
	 */
	record Result(EpochVerdict verdict, @Nullable ClockReading confirmation, @Nullable Long newSince,
			@Nullable ClockReading ownLook) {
	}

}
