package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockInfo;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Rows with unusual contents, on any database: times of a clock that was set and of
 * sessions in other zones, the first and the last times that a column accepts, and
 * formats of later versions.
 */
public abstract class JdbcRowContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private static final Duration HOUR = Duration.ofHours(1);

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/**
	 * The longest rest and the greatest age that is reported.
	 */
	private static final Duration MOST = Duration.ofDays(3650);

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = database();

	private JdbcTestClient client;

	private JdbcTestClient other;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		this.other = new JdbcTestClient(this.database.dataSource(), this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.other.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "release", "releases", "abandon", "force" })
	void lockThatWasGivenBackIsFreeAfterTheClockOfTheDatabaseGoesBack(String how) {
		LeaseGrant grant = this.client.acquire(KEY);
		switch (how) {
			case "release" -> assertThat(this.client.release(grant)).isTrue();
			case "releases" -> releaseTogether(grant, this.client.acquire("a"), this.client.acquire("b"));
			case "abandon" -> this.client.abandon(grant.target(), grant.ownerId());
			default ->
				assertThat(JdbcTestClient.await(this.other.connection().forceRelease(KEY, Duration.ZERO))).isTrue();
		}

		this.database.stepClock(HOUR.negated());

		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(grant.token().last());
	}

	private void releaseTogether(LeaseGrant... grants) {
		List<CompletableFuture<Boolean>> stages = Stream.of(grants)
			.map((grant) -> this.client.connection().release(grant, Duration.ZERO).toCompletableFuture())
			.toList();
		stages.forEach((stage) -> assertThat(JdbcTestClient.await(stage)).isTrue());
	}

	@Test
	void holderKeepsItsLeaseWhenTheClockOfTheDatabaseGoesBack() {
		LeaseGrant grant = this.client.acquire(KEY);

		this.database.stepClock(HOUR.negated());

		assertThat(this.other.rest(KEY)).isBetween(HOUR, HOUR.plus(TTL));
		assertThat(JdbcTestClient.await(this.other.connection().find(KEY)).orElseThrow().heldFor()).isZero();
		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(grant.token().last());
	}

	@Test
	void leaseEndsAndItsHolderLearnsItWhenTheClockOfTheDatabaseGoesForward() {
		LeaseGrant grant = this.client.acquire(KEY);

		this.database.stepClock(HOUR);

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.other.acquire(KEY).token().first()).isGreaterThan(grant.token().last());
		assertThat(this.client.release(grant)).isFalse();
	}

	@ParameterizedTest(name = "holder at {0}, contender at {1}")
	@CsvSource({ "Pacific/Niue, Pacific/Kiritimati", "Pacific/Kiritimati, Pacific/Niue",
			// As on both sides of the changes to and from summer time.
			"Etc/GMT-1, Etc/GMT-2", "Etc/GMT-2, Etc/GMT-1" })
	void restsAndAgesAreTheSameInSessionsOfAllZones(String holderZone, String contenderZone) {
		try (JdbcTestClient holder = in(holderZone); JdbcTestClient contender = in(contenderZone)) {
			LeaseGrant grant = holder.acquire(KEY);

			AttemptOutcome.Busy busy = (AttemptOutcome.Busy) contender.attempt(KEY, contender.waiting());
			assertThat(busy.retryAfter()).isBetween(TTL.minusSeconds(20), TTL);
			assertThat(busy.pollAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(5));
			LockInfo info = JdbcTestClient.await(contender.connection().find(KEY)).orElseThrow();
			assertThat(info.remaining()).isBetween(TTL.minusSeconds(20), TTL);
			assertThat(info.heldFor()).isBetween(Duration.ZERO, Duration.ofSeconds(20));
			assertThat(holder.renew(grant, TTL.multipliedBy(2))).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(contender.renew(grant, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(contender.rest(KEY)).isBetween(TTL, TTL.multipliedBy(2));
			assertThat(holder.release(grant)).isTrue();
			LeaseGrant next = contender.acquire(KEY);
			assertThat(holder.rest(KEY)).isBetween(TTL.minusSeconds(20), TTL);
			assertThat(next.token().first()).isGreaterThan(grant.token().last());
		}
	}

	private JdbcTestClient in(String zone) {
		return new JdbcTestClient(this.database.inZone(zone), this.database.settings());
	}

	@Test
	void rowOfALaterVersionIsTakenByAttemptsThatDoNotWaitAndByThoseThatDo() {
		write("format = 2", null, -1000, null);

		assertIsTaken("has the format 2 of another version");
	}

	@Test
	void rowThatHasRunOutButIsSharedIsTaken() {
		write("format = 1", null, -1000, "@@after(60000)@@");

		assertIsTaken("contradicts the format 1");
	}

	private void assertIsTaken(String message) {
		for (LeaseRequest request : List.of(this.client.request(), this.client.waiting(),
				this.client.request(Instant.ofEpochSecond(1)))) {
			assertThat(this.client.attempt(KEY, request)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> {
						assertThat(unavailable.sent()).isFalse();
						assertThat(unavailable.cause()).isInstanceOf(LockUnavailableException.class)
							.hasMessageContaining(KEY)
							.hasMessageContaining("'distributed_lock'")
							.hasMessageContaining(message);
					});
		}
		assertThatThrownBy(() -> JdbcTestClient.await(this.client.connection().find(KEY)))
			.hasMessageContaining(message);
		assertThatThrownBy(() -> JdbcTestClient.await(this.client.connection().forceRelease(KEY, Duration.ZERO)))
			.hasMessageContaining(message);
		assertThat(this.database.isMarked(KEY)).isFalse();
		assertThat(this.database.hasRow(KEY, "token = 7 AND instance = 'later'")).isTrue();
	}

	@Test
	void rowOfALaterVersionIsNeitherRenewedNorReleasedNorAbandoned() {
		LeaseGrant grant = this.client.acquire(KEY);
		LeaseGrant second = this.client.acquire("order:43");
		this.database.update("UPDATE @@table@@ SET format = 2", Map.of());

		List<RenewalOutcome> renewed = JdbcTestClient.await(this.client.connection()
			.renew(List.of(new Renewal(grant, TTL.multipliedBy(2)), new Renewal(second, TTL.multipliedBy(2)))));
		assertThat(renewed).hasOnlyElementsOfType(RenewalOutcome.Lost.class);
		assertThat(this.client.renew(grant, TTL.multipliedBy(2))).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(grant)).isFalse();
		this.client.abandon(grant.target(), grant.ownerId());
		assertThatThrownBy(() -> JdbcTestClient.await(this.client.connection().forceRelease(KEY, Duration.ZERO)))
			.hasMessageContaining("format 2");

		assertThat(this.database.hasRow(KEY, "owner IS NOT NULL AND expires_at > @@now@@ AND expires_at < @@after("
				+ TTL.plusSeconds(1).toMillis() + ")@@"))
			.isTrue();
	}

	@Test
	void rowOfALaterVersionHidesNoOtherFromTheList() {
		write("format = 2", "a", 60_000, null);
		this.client.acquire("order:43");

		assertThat(JdbcTestClient.await(ListedLocks.all(this.client.connection()))).extracting(LockInfo::key)
			.containsExactly("order:43");
	}

	@ParameterizedTest
	@ValueSource(strings = { "shared", "permits" })
	void groupIsBusyAndLeftAloneUntilItEnds(String kind) {
		write("format = 1, instance = '" + kind + "'", null, 60_000, "expires_at");

		assertThat(this.client.rest(KEY)).isBetween(Duration.ofSeconds(40), Duration.ofSeconds(60));
		assertThat(this.client.attempt(KEY, this.client.waiting())).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(JdbcTestClient.await(this.client.connection().find(KEY))).isEmpty();
		assertThat(JdbcTestClient.await(this.client.connection().forceRelease(KEY, Duration.ZERO))).isFalse();
		assertThat(this.database.hasRow(KEY, "instance = '" + kind + "' AND shared_until > @@now@@")).isTrue();

		write("instance = '" + kind + "'", null, -1000, "expires_at");
		assertThat(this.client.acquire(KEY).token().first()).isGreaterThan(7);
		assertThat(this.database.hasRow(KEY, "shared_until IS NULL")).isTrue();
	}

	/**
	 * Return the latest times that a column accepts, as SQL.
	 */
	private List<String> latest() {
		return switch (this.database.platform()) {
			case "h2" -> List.of("TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.999999+00:00'",
					"TIMESTAMP WITH TIME ZONE '1000000000-12-31 23:59:59-11:00'");
			case "postgresql" -> List.of("TIMESTAMPTZ 'infinity'", "TIMESTAMPTZ '294276-12-31 00:00:00Z'");
			case "mariadb", "mysql" -> List.of("'9999-12-31 23:59:59.999999'");
			default -> List.of("TIMESTAMP '9999-12-31 23:59:59+00:00'");
		};
	}

	/**
	 * Return the earliest times that a column accepts, as SQL.
	 */
	private List<String> earliest() {
		return switch (this.database.platform()) {
			case "h2" -> List.of("TIMESTAMP WITH TIME ZONE '0001-01-01 00:00:00+00:00'",
					"TIMESTAMP WITH TIME ZONE '-1000000000-01-02 00:00:00+14:00'");
			case "postgresql" -> List.of("TIMESTAMPTZ '-infinity'", "TIMESTAMPTZ '4713-01-02 00:00:00Z BC'");
			case "mariadb", "mysql" -> List.of("'1000-01-01 00:00:00'", "FROM_DAYS(0)");
			default -> List.of("TIMESTAMP '0001-01-02 00:00:00+00:00'");
		};
	}

	@Test
	void rowThatNeverEndsIsTakenForLongAndHidesNoOther() {
		LeaseGrant grant = this.client.acquire(KEY);
		this.client.acquire("order:43");
		for (String late : latest()) {
			for (String early : earliest()) {
				set("acquired_at = " + early + ", expires_at = " + late + ", waiting_until = " + late);
				for (LeaseRequest request : List.of(this.other.request(), this.other.waiting())) {
					AttemptOutcome.Busy busy = (AttemptOutcome.Busy) this.other.attempt(KEY, request);
					assertThat(busy.retryAfter()).isEqualTo(MOST);
					assertThat(busy.pollAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(5));
				}
				LockInfo info = JdbcTestClient.await(this.other.connection().find(KEY)).orElseThrow();
				assertThat(info.remaining()).isEqualTo(MOST);
				assertThat(info.heldFor()).isEqualTo(MOST);
				assertThat(JdbcTestClient.await(ListedLocks.all(this.other.connection()))).extracting(LockInfo::key)
					.containsExactlyInAnyOrder(KEY, "order:43");
				assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			}
		}
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.client.wantedAfter()).allSatisfy((after) -> assertThat(after).isLessThan(MINUTE));
		this.other.acquire(KEY);
	}

	@Test
	void rowThatWasGrantedInTheFutureHasNoAge() {
		this.client.acquire(KEY);
		for (String late : latest()) {
			set("acquired_at = " + late);
			assertThat(JdbcTestClient.await(this.other.connection().find(KEY)).orElseThrow().heldFor()).isZero();
			assertThat(((AttemptOutcome.Busy) this.other.attempt(KEY)).pollAfter()).isLessThan(Duration.ofSeconds(5));
		}
	}

	@Test
	void rowThatEndedLongAgoIsFree() {
		for (String early : earliest()) {
			this.client.acquire(KEY);
			set("expires_at = " + early);
			this.client.acquire(KEY);
			set("expires_at = " + early);
		}
	}

	private void set(String assignments) {
		this.database.set(KEY, assignments);
	}

	/**
	 * Write the row of a lock as another version might.
	 */
	private void write(String assignments, String owner, long endsIn, String sharedUntil) {
		if (!this.database.hasRow(KEY, "1 = 1")) {
			this.client.release(this.client.acquire(KEY));
		}
		this.database.update("UPDATE @@table@@ SET owner = " + ((owner != null) ? "'" + owner + "'" : "NULL")
				+ ", instance = 'later', token = 7, expires_at = @@after(" + endsIn + ")@@, waiting_until = NULL",
				Map.of());
		this.database.update("UPDATE @@table@@ SET shared_until = " + sharedUntil + ", " + assignments, Map.of());
	}

}
