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
import io.distributedlock.spi.TokenRange;

/**
 * The course of one attempt at the database: take the lock; if it can't be had, see why
 * and, if the caller waits, leave the mark. A lock that has become free meanwhile is
 * tried for again at once, under the same owner id, which holds nothing then.
 */
final class JdbcAcquisition {

	/**
	 * How often at most a lock that was let go between two statements is tried for.
	 */
	private static final int MAX_ROUNDS = 4;

	/**
	 * What is left of a lock that changes hands too fast to catch it.
	 */
	private static final Duration SOON = Duration.ofMillis(1);

	private final LockTarget target;

	private final LeaseRequest request;

	private final LockClock clock;

	private final PollDelay pollDelay;

	private final JdbcWakeUp wakeUp;

	// Whether a waiter is told of the release of what it found busy; one thread runs
	// this.
	private NotificationState notified = NotificationState.UNSUPPORTED;

	// Whether the row took no mark the last time: the lock is free since, or its row is
	// not known.
	private boolean unmarked;

	JdbcAcquisition(LockTarget target, LeaseRequest request, LockClock clock, PollDelay pollDelay, JdbcWakeUp wakeUp) {
		this.target = target;
		this.request = request;
		this.clock = clock;
		this.pollDelay = pollDelay;
		this.wakeUp = wakeUp;
	}

	/**
	 * Attempt it.
	 * @param connection the connection
	 * @return granted, busy or done
	 * @throws SQLException if the database complains; then nothing is granted that was
	 * not rolled back, unless the outcome is unknown
	 */
	AttemptOutcome run(LockConnection connection) throws SQLException {
		for (int round = 0; round < MAX_ROUNDS; round++) {
			long sentAt = this.clock.nanoTime();
			AcquireSql sql = new AcquireSql(connection, this.target.key(), this.request, this.pollDelay.planned());
			LockRow row = sql.acquire();
			if (row != null && row.isKnown() && this.request.ownerId().value().equals(row.owner())) {
				return new AttemptOutcome.Granted(grant(row, sentAt));
			}
			AttemptOutcome refusal = (row != null) ? refusal(connection, row) : look(connection, sql);
			if (refusal != null) {
				return refusal;
			}
		}
		return busy(SOON, Duration.ZERO);
	}

	private LeaseGrant grant(LockRow row, long sentAt) {
		int span = this.request.span();
		return new LeaseGrant(this.target, this.request.ownerId(), new TokenRange(row.token() - span + 1, span),
				LockClock.validUntil(sentAt, this.request.ttl()));
	}

	/**
	 * See why the lock could not be had.
	 * @param connection the connection
	 * @param sql the statements
	 * @return busy, done or, if its row is not known, unavailable; {@code null} where it
	 * could be had now
	 * @throws SQLException if the database complains
	 */
	private @Nullable AttemptOutcome look(LockConnection connection, AcquireSql sql) throws SQLException {
		if (!this.request.waiting()) {
			return refusal(connection, sql.state());
		}
		if (this.request.tick() != null || this.unmarked) {
			// A tick that has run leaves no mark, a row that is not known takes none.
			AttemptOutcome refusal = refusal(connection, sql.state());
			if (!(refusal instanceof AttemptOutcome.Busy)) {
				return refusal;
			}
		}
		// Before the mark, which comes too late only if the lock is free.
		this.notified = this.wakeUp.subscribe(connection);
		if (this.notified == NotificationState.UNSUPPORTED) {
			return refusal(connection, sql.state());
		}
		LockRow marked = sql.mark(this.pollDelay.planned());
		this.unmarked = marked == null;
		return refusal(connection, marked);
	}

	private @Nullable AttemptOutcome refusal(LockConnection connection, @Nullable LockRow row) {
		if (row == null) {
			return null;
		}
		if (!row.isKnown()) {
			return new AttemptOutcome.Unavailable(
					LockRow.unknown(this.target.key(), connection.table().name(), row.form()), false);
		}
		if (row.hasRun(this.request.tick())) {
			return new AttemptOutcome.Done(Instant.ofEpochMilli(Objects.requireNonNull(row.tick())));
		}
		return (row.rest() > 0) ? busy(Duration.ofMillis(row.rest()), Duration.ofMillis(Math.max(0, row.age()))) : null;
	}

	private AttemptOutcome busy(Duration rest, Duration age) {
		return new AttemptOutcome.Busy(rest, (this.notified == NotificationState.RELIABLE)
				? this.pollDelay.notified(rest) : this.pollDelay.unnotified(rest, age));
	}

}
