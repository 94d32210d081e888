package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.Temporal;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * JVMs whose wall clocks are minutes apart, on any database. Leases expire only by the
 * database's clock.
 */
public abstract class JdbcClockContract {

	private static final Duration TTL = Duration.ofSeconds(1);

	private static final LockRequest REQUEST = LockRequest.of("order:42").waitTime(Duration.ofSeconds(20));

	private static final LockRequest LONG = REQUEST.ttl(Duration.ofSeconds(30));

	private final JdbcTestDatabase database = database();

	private final ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());

	private final AtomicLong offset = new AtomicLong(Duration.ofMinutes(3).toMillis());

	private final SystemLockClock clock = new SystemLockClock();

	private JdbcTestNode ahead;

	private JdbcTestNode behind;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.ahead = node(this.offset);
		this.behind = node(new AtomicLong(Duration.ofMinutes(-3).toMillis()));
	}

	private JdbcTestNode node(AtomicLong behind) {
		return new JdbcTestNode(this.observed, this.database.settings(), TTL, HandOverSettings.DEFAULTS,
				new ShiftedClock(this.clock, behind));
	}

	@AfterEach
	void stop() {
		this.ahead.close();
		this.behind.close();
		this.clock.close();
	}

	@Test
	void lockIsTakenSoonAfterItsTimeIsOverAndNotBefore() {
		for (List<JdbcTestNode> pair : List.of(List.of(this.ahead, this.behind), List.of(this.behind, this.ahead))) {
			Lease first = pair.get(0).template().acquire(REQUEST.withoutRenewal());

			Lease next = pair.get(1).template().acquire(LONG);

			assertThat(first.isHeld()).isFalse();
			assertThat(next.fencingToken()).isGreaterThan(first.fencingToken());
			assertThat(next.release()).isTrue();
		}
	}

	@Test
	void clockThatGoesBackDuringTheHoldKeepsTheLeaseAndLetsItBeReleased() {
		Lease lease = this.ahead.template().acquire(LONG);

		this.offset.set(Duration.ofHours(-1).toMillis());

		lease.verify();
		assertThat(this.behind.template().tryAcquire(LONG.waitTime(Duration.ZERO))).isEmpty();
		assertThat(lease.release()).isTrue();
		assertThat(this.behind.template().tryAcquire(LONG.waitTime(Duration.ZERO))).isPresent();
	}

	@Test
	void noParameterCarriesTheTimeOfAJvm() {
		try (Lease lease = this.ahead.template().acquire(LONG)) {
			lease.verify();
			this.behind.template().tryAcquire(LONG.waitTime(Duration.ZERO));
		}

		assertThat(this.observed.parameters()).isNotEmpty()
			.noneMatch((value) -> value instanceof Date || value instanceof Temporal);
		assertThat(this.observed.parameters()).filteredOn(Long.class::isInstance)
			.noneMatch((value) -> isNear(Instant.ofEpochMilli((Long) value)));
	}

	private static boolean isNear(Instant time) {
		return Duration.between(time, Instant.now()).abs().compareTo(Duration.ofDays(1)) < 0;
	}

	/**
	 * A clock that is wrong.
	 *
	 * @param clock the right clock
	 * @param offset by how many milliseconds its wall clock is wrong
	 */
	private record ShiftedClock(LockClock clock, AtomicLong offset) implements LockClock {

		@Override
		public long nanoTime() {
			return this.clock.nanoTime();
		}

		@Override
		public long wallMillis() {
			return this.clock.wallMillis() + this.offset.get();
		}

		@Override
		public Timeout schedule(Duration delay, Runnable task) {
			return this.clock.schedule(delay, task);
		}

	}

}
