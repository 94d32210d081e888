package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;

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
 * Runs one attempt to enter a group. If the group can't be entered, the attempt reads
 * why. If the caller waits, it leaves a mark on the exclusive holder, or asks to be
 * notified of a permit. It never closes a group to others.
 */
final class GroupAcquisition {

	/**
	 * The maximum number of tries. Each failed one is due to a client that was faster.
	 */
	private static final int MAX_ROUNDS = 50;

	/**
	 * The rest that is reported for a key that changes hands too fast to be taken.
	 */
	private static final Duration SOON = Duration.ofMillis(1);

	private final LockTarget target;

	private final GroupKind kind;

	private final LeaseRequest request;

	private final LockClock clock;

	private final PollDelay pollDelay;

	private final JdbcWakeUp wakeUp;

	// Whether the waiter is notified of what it waits for. Used by the one thread that
	// runs this attempt.
	private NotificationState notified = NotificationState.UNSUPPORTED;

	// Whether the attempt has been granted before, so that it takes no second place.
	private boolean repeated;

	GroupAcquisition(LockTarget target, LeaseRequest request, LockClock clock, PollDelay pollDelay, JdbcWakeUp wakeUp) {
		this.target = target;
		this.kind = GroupKind.of(target);
		this.request = request;
		this.clock = clock;
		this.pollDelay = pollDelay;
		this.wakeUp = wakeUp;
	}

	/**
	 * Run the attempt.
	 * @param connection the connection
	 * @param again whether an earlier attempt has found the group busy. This one then
	 * looks first where an entry needs several requests
	 * @return granted or busy
	 * @throws SQLException if a database access error occurs; any grant is rolled back
	 * then, unless the outcome is unknown
	 */
	AttemptOutcome run(LockConnection connection, boolean again) throws SQLException {
		GroupSql sql = GroupSql.on(connection);
		boolean looks = again && connection.table().dialect().opensTransactions();
		for (int round = 0; round < MAX_ROUNDS && !this.repeated; round++) {
			if (looks || round > 0) {
				AttemptOutcome refusal = look(connection, sql);
				if (refusal != null) {
					return refusal;
				}
			}
			looks = true;
			LeaseGrant grant = enter(sql);
			if (grant != null) {
				return new AttemptOutcome.Granted(grant);
			}
		}
		return busy(SOON, Duration.ZERO);
	}

	private @Nullable LeaseGrant enter(GroupSql sql) throws SQLException {
		long sentAt = this.clock.nanoTime();
		Long token;
		try {
			token = sql.enter(this.target, this.request);
		}
		catch (SQLException ex) {
			if (SqlFaults.isDuplicateKey(ex)) {
				this.repeated = true;
				return null;
			}
			throw ex;
		}
		if (token == null) {
			return null;
		}
		int span = this.request.span();
		return new LeaseGrant(this.target, this.request.ownerId(), new TokenRange(token - span + 1, span),
				LockClock.validUntil(sentAt, this.request.ttl()));
	}

	/**
	 * Determine why the group can't be entered.
	 * @return busy or, if the row is not known, unavailable; {@code null} if the group
	 * can be entered now
	 */
	private @Nullable AttemptOutcome look(LockConnection connection, GroupSql sql) throws SQLException {
		this.notified = NotificationState.UNSUPPORTED;
		GateSql look = new GateSql(connection);
		String key = this.target.key();
		GateRow gate = look.gate(key);
		if (gate == null) {
			sql.createRow(key);
			return null;
		}
		if (!gate.isKnown()) {
			return new AttemptOutcome.Unavailable(LockRow.unknown(key, connection.table().name(), gate.form()), false);
		}
		if (!gate.isFree() && !gate.isHeldBy(this.kind)) {
			return busyWithOthers(connection, look, gate);
		}
		if (gate.isClosed()) {
			return busyAtDoor(connection, gate);
		}
		return (this.kind == GroupKind.PERMITS && !gate.isFree()) ? lookForPermit(connection, look, gate) : null;
	}

	private @Nullable AttemptOutcome busyWithOthers(LockConnection connection, GateSql look, GateRow gate)
			throws SQLException {
		if (gate.owned() && this.request.waiting()) {
			// Subscribes before it leaves the mark, so that it misses no release.
			this.notified = this.wakeUp.subscribe(connection);
			if (this.notified != NotificationState.UNSUPPORTED
					&& !look.mark(this.target.key(), this.pollDelay.planned())) {
				return null;
			}
		}
		return busy(gate.rest(), gate.age());
	}

	private AttemptOutcome busyAtDoor(LockConnection connection, GateRow gate) {
		if (this.request.waiting()) {
			// The waiter that has closed it has left a mark.
			this.notified = this.wakeUp.subscribe(connection);
		}
		return busy(gate.door(), gate.age());
	}

	private @Nullable AttemptOutcome lookForPermit(LockConnection connection, GateSql look, GateRow gate)
			throws SQLException {
		GateSql.Places places = look.places(this.target.key());
		if (places.number() >= this.request.permits() && this.request.waiting()) {
			this.notified = this.wakeUp.subscribe(connection);
			if (!gate.asked() && connection.table().dialect().has(Dialect.Trait.NOTIFICATIONS)
					&& this.notified != NotificationState.UNSUPPORTED) {
				look.askForPermit(this.target.key());
				// Releases before that have notified no waiter.
				places = look.places(this.target.key());
			}
		}
		return (places.number() < this.request.permits()) ? null : busy(places.rest(), places.age());
	}

	private AttemptOutcome busy(Duration rest, Duration age) {
		return new AttemptOutcome.Busy(rest, (this.notified == NotificationState.RELIABLE)
				? this.pollDelay.notified(rest) : this.pollDelay.unnotified(rest, age));
	}

}
