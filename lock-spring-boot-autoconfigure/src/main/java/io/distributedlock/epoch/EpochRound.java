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
 * Asks a store for its epoch in one round. The first step is a look, which is granted if
 * the store has no mark. Then the mark is written if necessary.
 * <p>
 * The steps follow each other on the threads that complete the answers, with a
 * happens-before relation between them, so the fields need no lock. The timer only
 * completes the result, which is decided once.
 */
final class EpochRound {

	/**
	 * For how long a store with a look is left to the instance that has found it new.
	 */
	private static final Duration GRACE = Duration.ofSeconds(5);

	/**
	 * How long after its look an instance may claim a new store.
	 */
	private static final Duration AT_ONCE = Duration.ofSeconds(10);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

	/**
	 * The age at which the mark of a store is written again. Stores remember ticks for a
	 * day at least.
	 */
	private static final long OLDEST_SECONDS = Duration.ofHours(1).toSeconds();

	private static final int MOST_BUSY_LOOKS = 5;

	private final EpochMarkRequest request;

	private final int epoch;

	private final boolean confirmedBefore;

	private final EpochVerdict.@Nullable Raising raising;

	// When this instance first saw the look of another one. Read by the timer, too.
	private volatile @Nullable Long newSince;

	private final Duration wait;

	private final LockClock clock;

	private final long deadline;

	private final CompletableFuture<Result> result = new CompletableFuture<>();

	private int busyLooks;

	// When this instance sent the look that found the store new. Read by the timer, too.
	private volatile @Nullable ClockReading ownLook;

	/**
	 * Create a round.
	 * @param request asks the store
	 * @param epoch the epoch of this instance
	 * @param confirmedBefore whether the store has ever confirmed that epoch
	 * @param raising the known state of raising the store to that epoch, if it is being
	 * raised
	 * @param newSince since when another instance is known to have found the store new,
	 * by the monotonic clock
	 * @param ownLook when this instance sent the look that has found the store new, if it
	 * did
	 * @param wait how long after its announcement an epoch comes into force
	 * @param clock the source of time
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
	 * Begin the round. It ends a little later than the store may take to answer, so that
	 * the store can report the reason for a missing answer.
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
				// If some of several nodes have lost the mark, no majority can report it.
				// It can be written again unless one of them has a greater one.
				writeInForce();
			}
			else {
				later((AttemptOutcome.Busy) outcome, this::look);
			}
		});
	}

	/**
	 * Return whether this instance has found the store new, and other instances still
	 * leave the store to it.
	 */
	private boolean isFinder() {
		ClockReading found = this.ownLook;
		return found != null && found.age(this.clock).compareTo(AT_ONCE) < 0;
	}

	/**
	 * Write the first epoch of a store that this instance has found new. Other instances
	 * do not write an epoch before {@link #AT_ONCE} is over. An announcement that is
	 * answered by then excludes all earlier epochs for good, so the epoch itself may be
	 * written immediately, however late that takes effect. An announcement that is
	 * answered later may have come after an earlier epoch.
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
	 * Decide what follows from the mark of the store.
	 * @param certain the mark that the store is certain of
	 * @param latest the greatest mark that any part of the store has named
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
			// Some of several nodes have missed the epoch. The instance that wrote it to
			// the others had waited.
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
			// There is no earlier epoch, so no instance has to notice the change.
			writeInForce();
		}
		else {
			announce(this::look);
		}
	}

	/**
	 * Return whether the store is still left to the instance that has found it new, the
	 * finder. An instance with epoch 0 waits until the finder must have claimed the
	 * store. Any other instance announces its epoch earlier, and waits afterwards. The
	 * time counts from when this instance saw the look, which is later than the look was
	 * sent.
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
	 * @param next run when the store has accepted the announcement
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
	 * Wait, counted from when this announcement was first seen. A later announcement
	 * shows that the store has forgotten the first one, or that another instance has
	 * announced the same epoch; the wait then begins again.
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
	 * Write the mark again so that the store remembers it for longer, without waiting for
	 * the answer.
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
	 * The result of a round.
	 *
	 * @param verdict the verdict
	 * @param confirmation when the question was sent that confirmed the epoch
	 * @param newSince since when another instance is known to have found the store new
	 * @param ownLook when this instance sent the look that has found the store new
	 */
	record Result(EpochVerdict verdict, @Nullable ClockReading confirmation, @Nullable Long newSince,
			@Nullable ClockReading ownLook) {
	}

}
