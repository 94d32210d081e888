package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances of the version before groups and of this one exclude each other, on any
 * database. The former run the statements of that version.
 */
public abstract class JdbcGroupUpgradeContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = database();

	private final SystemLockClock clock = new SystemLockClock();

	private JdbcTestClient client;

	private JdbcTestClient other;

	private LockConnection connection;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() throws SQLException {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		this.other = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		this.connection = before();
	}

	private LockConnection before() throws SQLException {
		LockTable table = StatementsBeforeGroups.table(this.database.dialect(), this.database.settings());
		return LockConnection.prepare(this.database.dataSource().getConnection(), (any) -> table, (broken) -> {
		}, this.clock::nanoTime);
	}

	@AfterEach
	void stop() {
		this.connection.close();
		this.client.close();
		this.other.close();
		this.clock.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void exclusiveLeaseOfTheVersionBeforeKeepsReadersAndPermitsOut(int permits) throws SQLException {
		LeaseGrant grant = acquireBefore(this.connection, false);

		assertThat(this.client.attempt(KEY, permits)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.client.attempt(KEY, permits, true)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(new LeaseSql(this.connection).renew(List.of(new Renewal(grant, TTL)))).allMatch(LeaseStatus::stands);
		assertThat(this.client.attempt(KEY, permits)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(release(grant)).isTrue();

		assertThat(this.client.enter(KEY, permits).token().first()).isGreaterThan(grant.token().last());
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void readersAndPermitsKeepTheVersionBeforeOutUntilTheLastOneHasLeft(int permits) throws SQLException {
		LeaseGrant one = this.client.enter(KEY, permits);
		LeaseGrant two = this.other.enter(KEY, permits);

		assertThat(acquireBefore(this.connection, false)).isNull();
		assertThat(acquireBefore(this.connection, true)).isNull();
		assertThat(this.client.renew(one, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(one)).isTrue();
		assertThat(acquireBefore(this.connection, false)).isNull();
		assertThat(this.other.release(two)).isTrue();

		assertThat(acquireBefore(this.connection, false).token().first()).isGreaterThan(two.token().last());
		assertThat(this.other.renew(two, TTL)).isInstanceOf(RenewalOutcome.Lost.class);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void groupWhoseMembersHaveExpiredIsFreeForTheVersionBefore(int permits) throws SQLException {
		LeaseGrant crashed = this.client.enter(KEY, permits);
		assertThat(acquireBefore(this.connection, false)).isNull();

		this.database.expire(KEY);

		assertThat(acquireBefore(this.connection, false)).isNotNull();
		assertThat(this.client.renew(crashed, TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(crashed)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void waiterOfTheVersionBeforeClosesTheDoorAndItsGrantOpensIt(int permits) throws SQLException {
		LeaseGrant member = this.client.enter(KEY, permits);
		AttemptOutcome outcome;
		int rounds = 0;
		do {
			// On a machine that stands still, a mark may be over before the next attempt.
			assertThat(acquireBefore(this.connection, true)).isNull();
			outcome = this.other.attempt(KEY, permits);
			rounds++;
		}
		while (outcome instanceof AttemptOutcome.Granted && rounds < 20);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(JdbcTestClient.await(this.other.connection().forceRelease(KEY, Duration.ZERO))).isTrue();
		assertThat(this.client.release(member)).isFalse();
		assertThat(release(acquireBefore(this.connection, false))).isTrue();
		this.other.enter(KEY, permits);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void versionBeforeShowsNoGroupAndForcesNoneOut(int permits) throws SQLException {
		LeaseGrant member = this.client.enter(KEY, permits);
		LockTable table = this.connection.table();
		Map<String, @Nullable Object> values = Map.of("key", table.key(KEY), "after", table.key(""), "ends",
				LeaseRelease.OVER.toMillis());

		assertThat(this.connection.query(table.statement("find"), values, (row) -> true)).isEmpty();
		assertThat(this.connection.query(table.statement("list"), values, (row) -> true)).isEmpty();
		assertThat(this.connection.update(table.statement("force-release"), values)).isFalse();
		assertThat(this.connection.update(table.statement("forget"),
				Map.of("key", table.key(KEY), "unused", 0L, "ticked", 0L, "micros", 0L)))
			.isFalse();

		assertThat(this.client.renew(member, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(member)).isTrue();
	}

	@Test
	void racersOfBothVersionsNeverMixAndTheirTokensGrow() throws Exception {
		Race race = new Race();
		List<CompletableFuture<Integer>> racers = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			int number = i;
			racers.add(CompletableFuture.supplyAsync(() -> race(number, race), (task) -> new Thread(task).start()));
		}

		int granted = 0;
		for (CompletableFuture<Integer> racer : racers) {
			granted += racer.get();
		}
		assertThat(granted).isPositive();
		this.client.acquire(KEY);
	}

	private int race(int number, Race race) {
		Random random = new Random(number);
		int granted = 0;
		try (LockConnection own = before()) {
			for (int round = 0; round < 60; round++) {
				boolean has = (number < 2) ? write(own, random.nextBoolean(), race)
						: share((number % 2 == 0) ? this.client : this.other, (number < 4) ? 0 : 1, race);
				granted += has ? 1 : 0;
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return granted;
	}

	private boolean write(LockConnection own, boolean waiting, Race race) throws SQLException {
		LeaseGrant grant = acquireBefore(own, waiting);
		if (grant == null) {
			return false;
		}
		assertThat(grant.token().first()).isGreaterThan(race.greatest.get());
		race.note(grant, race.greatestExclusive);
		assertThat(race.writers.incrementAndGet()).isEqualTo(1);
		assertThat(race.readers.get() + race.permits.get()).isZero();
		race.writers.decrementAndGet();
		return own.run(this.client.deadline(), (each) -> new LeaseSql(each).release(of(grant))).stands();
	}

	private static boolean share(JdbcTestClient racer, int permits, Race race) {
		if (!(racer.attempt(KEY, permits) instanceof AttemptOutcome.Granted granted)) {
			return false;
		}
		LeaseGrant grant = granted.grant();
		assertThat(grant.token().first()).isGreaterThan(race.greatestExclusive.get());
		race.note(grant, race.greatest);
		AtomicInteger same = (permits == 0) ? race.readers : race.permits;
		int inside = same.incrementAndGet();
		assertThat(inside).isLessThanOrEqualTo((permits == 0) ? 2 : 1);
		assertThat(race.writers.get() + ((permits == 0) ? race.permits : race.readers).get()).isZero();
		same.decrementAndGet();
		return racer.release(grant);
	}

	/**
	 * Make an attempt of the version before.
	 * @return the lease, or {@code null} if the lock was busy
	 */
	private @Nullable LeaseGrant acquireBefore(LockConnection own, boolean waiting) throws SQLException {
		LeaseRequest request = new LeaseRequest(OwnerId.random(), TTL, 1, null, waiting, Duration.ofSeconds(10),
				Duration.ZERO);
		LockRow row = own.run(this.client.deadline(),
				(each) -> new AcquireSql(each, KEY, request, Duration.ofMillis(20)).acquire());
		if (row != null && request.ownerId().value().equals(row.owner())) {
			return new LeaseGrant(LockTarget.exclusive(KEY), request.ownerId(), new TokenRange(row.token(), 1), 0);
		}
		if (waiting && own.table().dialect().has(Dialect.Trait.UPDATES_RETURN)) {
			own.queryFirst(own.table().statement("mark"), Map.of("key", own.table().key(KEY), "mark", 1000L),
					(each) -> each.getLong("rest"));
		}
		return null;
	}

	private boolean release(LeaseGrant grant) throws SQLException {
		return new LeaseSql(this.connection).release(of(grant)).stands();
	}

	private LeaseRelease of(LeaseGrant grant) {
		return new LeaseRelease(grant, Duration.ZERO, this.client.call());
	}

	/**
	 * The critical section of the race.
	 */
	private static final class Race {

		private final AtomicInteger writers = new AtomicInteger();

		private final AtomicInteger readers = new AtomicInteger();

		private final AtomicInteger permits = new AtomicInteger();

		private final AtomicLong greatest = new AtomicLong();

		private final AtomicLong greatestExclusive = new AtomicLong();

		private void note(LeaseGrant grant, AtomicLong also) {
			this.greatest.accumulateAndGet(grant.token().last(), Math::max);
			also.accumulateAndGet(grant.token().last(), Math::max);
		}

	}

}
