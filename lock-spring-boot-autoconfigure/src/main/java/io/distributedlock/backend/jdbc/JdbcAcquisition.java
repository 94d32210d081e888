package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.NotificationState;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;

/**
 * Runs one attempt at the database. If the lock can't be taken, the attempt reads why
 * and, if the caller waits, leaves the mark. If the lock has become free meanwhile, it is
 * tried again at once under the same owner id, which holds no lease at that time.
 */
final class JdbcAcquisition {

	/**
	 * The maximum number of tries for a lock that was released between two statements.
	 */
	private static final int MAX_ROUNDS = 4;

	/**
	 * The rest that is reported for a lock that changes hands too fast to be taken.
	 */
	private static final Duration SOON = Duration.ofMillis(1);

	private final LockTarget target;

	private final LeaseRequest request;

	private final LockClock clock;

	private final PollDelay pollDelay;

	private final JdbcWakeUp wakeUp;

	// Whether the waiter is notified of the release. Used by the one thread that runs
	// this attempt.
	private NotificationState notified = NotificationState.UNSUPPORTED;

	// Whether the last round left no mark because the lock had become free, or because
	// its row is not known.
	private boolean unmarked;

	private boolean ownerless;

	JdbcAcquisition(LockTarget target, LeaseRequest request, LockClock clock, PollDelay pollDelay, JdbcWakeUp wakeUp) {
		this.target = target;
		this.request = request;
		this.clock = clock;
		this.pollDelay = pollDelay;
		this.wakeUp = wakeUp;
	}

	/**
	 * Run the attempt.
	 * @param connection the connection
	 * @return granted, busy or done
	 * @throws SQLException if a database access error occurs; any grant is rolled back
	 * then, unless the outcome is unknown
	 */
	AttemptOutcome run(LockConnection connection) throws SQLException {
		for (int round = 0; round < MAX_ROUNDS; round++) {
			long sentAt = this.clock.nanoTime();
			TakeSql sql = TakeSql.on(connection, this.target, this.request, this.pollDelay.planned());
			LockState state = sql.acquire();
			if (state != null && state.isGrantedTo(this.request.ownerId())) {
				return new AttemptOutcome.Granted(grant(state, sentAt));
			}
			AttemptOutcome refusal = (state != null) ? refusal(connection, state) : look(connection, sql);
			if (refusal != null) {
				return refusal;
			}
		}
		return busy(SOON, Duration.ZERO);
	}

	/**
	 * Return whether the lock was taken by a group or a cooldown. If the attempt waits,
	 * its mark has closed the group to new members.
	 * @return whether a busy lock had no owner
	 */
	boolean isOwnerless() {
		return this.ownerless;
	}

	private LeaseGrant grant(LockState state, long sentAt) {
		return new LeaseGrant(this.target, this.request.ownerId(), state.tokens(this.request),
				LockClock.validUntil(sentAt, this.request.ttl()));
	}

	/**
	 * Determine why the lock could not be taken.
	 * @param connection the connection
	 * @param sql the statements
	 * @return busy, done or, if its row is not known, unavailable; {@code null} if it can
	 * be taken now
	 * @throws SQLException if a database access error occurs
	 */
	private @Nullable AttemptOutcome look(LockConnection connection, TakeSql sql) throws SQLException {
		if (!this.request.waiting()) {
			return refusal(connection, sql.state());
		}
		if (this.request.tick() != null || this.unmarked) {
			// A request whose tick has run leaves no mark, and a row that is not known
			// accepts no mark.
			AttemptOutcome refusal = refusal(connection, sql.state());
			if (!(refusal instanceof AttemptOutcome.Busy)) {
				return refusal;
			}
		}
		// Subscribes before it leaves the mark, so the mark comes too late only if the
		// lock is free.
		this.notified = this.wakeUp.subscribe(connection);
		if (this.notified == NotificationState.UNSUPPORTED) {
			LockState state = sql.state();
			if (state != null && state.isOwnerless()) {
				// Wakes no waiter, but closes a group.
				sql.mark(this.pollDelay.planned(), false);
			}
			return refusal(connection, state);
		}
		LockState marked = sql.mark(this.pollDelay.planned(), this.notified == NotificationState.RELIABLE);
		this.unmarked = marked == null;
		return refusal(connection, marked);
	}

	private @Nullable AttemptOutcome refusal(LockConnection connection, @Nullable LockState state) {
		if (state == null) {
			return null;
		}
		if (!state.isKnown()) {
			return new AttemptOutcome.Unavailable(state.unknown(this.target, connection.table().name()), false);
		}
		if (state.hasRun(this.request.tick())) {
			return new AttemptOutcome.Done(Instant.ofEpochMilli(Objects.requireNonNull(state.tick())));
		}
		this.ownerless = state.isOwnerless();
		return (state.rest() > 0) ? busy(Duration.ofMillis(state.rest()), Duration.ofMillis(Math.max(0, state.age())))
				: null;
	}

	private AttemptOutcome busy(Duration rest, Duration age) {
		return new AttemptOutcome.Busy(rest, (this.notified == NotificationState.RELIABLE)
				? this.pollDelay.notified(rest) : this.pollDelay.unnotified(rest, age));
	}

}
