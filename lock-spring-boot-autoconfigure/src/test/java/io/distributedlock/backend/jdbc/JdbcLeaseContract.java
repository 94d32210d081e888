package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockInfo;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Leases in a table, on any database.
 */
public abstract class JdbcLeaseContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private final JdbcTestDatabase database = database();

	private final ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());

	private JdbcTestClient client;

	private JdbcTestClient other;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.observed, this.database.settings());
		this.other = new JdbcTestClient(this.database.dataSource(), this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.other.close();
	}

	/**
	 * Return how many statements take a lock whose row is missing.
	 * @return the number of statements
	 */
	protected int statementsForAMissingRow() {
		return 1;
	}

	/**
	 * Return how many statements take a lock whose row exists.
	 * @return the number of statements
	 */
	protected int statementsForARow() {
		return 1;
	}

	@Test
	void lockWhoseRowIsMissingTakesAsFewStatementsAsTheDatabaseLets() {
		this.client.acquire("order:42");

		assertThat(this.observed.statements()).hasSize(statementsForAMissingRow());
	}

	@Test
	void lockWhoseRowIsThereTakesAsFewStatementsAsTheDatabaseLets() {
		this.client.release(this.client.acquire("order:42"));
		this.observed.forget();

		this.client.acquire("order:42");

		assertThat(this.observed.statements()).hasSize(statementsForARow());
	}

	@Test
	void releaseTakesOneStatement() {
		LeaseGrant grant = this.client.acquire("order:42");
		this.observed.forget();

		this.client.release(grant);

		assertThat(this.observed.statements()).hasSize(1);
	}

	@Test
	void lockThatIsTakenIsBusyForTheRestOfItsLease() {
		this.client.acquire("order:42");

		AttemptOutcome.Busy busy = (AttemptOutcome.Busy) this.other.attempt("order:42");

		assertThat(busy.retryAfter()).isBetween(TTL.minusSeconds(20), TTL);
		assertThat(busy.pollAfter()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
	}

	@Test
	void attemptThatDoesNotWaitLeavesNoMark() {
		this.client.acquire("order:42");

		this.other.attempt("order:42");

		assertThat(this.database.isMarked("order:42")).isFalse();
	}

	@Test
	void attemptThatWaitsLeavesAMarkUntilTheNextGrant() {
		LeaseGrant grant = this.client.acquire("order:42");

		assertThat(this.other.attempt("order:42", this.other.waiting())).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.database.isMarked("order:42")).isTrue();

		this.client.release(grant);
		this.other.acquire("order:42", this.other.waiting());
		assertThat(this.database.isMarked("order:42")).isFalse();
	}

	@Test
	void unnotifiedWaiterPollsTheLessOftenTheLongerTheLockIsHeld() {
		this.client.acquire("order:42");
		List<Duration> pauses = pauses(3);
		assertThat(pauses.get(0)).isBetween(Duration.ofMillis(10), Duration.ofMillis(20));

		this.database.update("UPDATE @@table@@ SET acquired_at = @@after(-10000)@@", Map.of());

		assertThat(pauses(3).subList(1, 3))
			.allSatisfy((pause) -> assertThat(pause).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1)));
	}

	private List<Duration> pauses(int attempts) {
		JdbcLockSettings settings = this.database.settings();
		JdbcLockSettings silent = new JdbcLockSettings(settings.keyPrefix(), settings.instanceId(), settings.table(),
				settings.readerTable(), settings.callTimeout(), settings.tokenRetention(), settings.platform(),
				JdbcLockSettings.Notifications.OFF);
		try (JdbcTestClient polling = new JdbcTestClient(this.database.dataSource(), silent)) {
			var contender = polling.connection().contend(LockTarget.exclusive("order:42"), () -> {
			});

			List<Duration> pauses = new ArrayList<>();
			for (int i = 0; i < attempts; i++) {
				AttemptOutcome outcome = JdbcTestClient.await(contender.attempt(polling.waiting()));
				pauses.add(((AttemptOutcome.Busy) outcome).pollAfter());
			}
			contender.withdraw();
			return pauses;
		}
	}

	@Test
	void renewalsReportWaitersIfThatCostsNoStatement() {
		assumeThat(Dialect.valueOf(this.database.platform().toUpperCase(Locale.ROOT)).has(Dialect.Trait.UPDATES_RETURN))
			.isTrue();
		List<LeaseGrant> grants = List.of(this.client.acquire("row:0"), this.client.acquire("row:1"));
		LeaseGrant alone = this.client.acquire("alone");
		List<Renewal> renewals = grants.stream().map((grant) -> new Renewal(grant, TTL)).toList();

		// A mark that stays until its waiter polls again may be over at the check.
		await().untilAsserted(() -> {
			Stream.of("row:0", "row:1", "alone").forEach((key) -> this.other.attempt(key, this.other.waiting()));
			JdbcTestClient.await(this.client.connection().renew(renewals));
			this.client.renew(alone, TTL);
			assertThat(this.client.wanted()).hasSize(3);
		});
	}

	@Test
	void renewalReportsNoWaitersIfThereAreNone() {
		LeaseGrant grant = this.client.acquire("order:42");
		this.other.attempt("order:42");

		this.client.renew(grant, TTL);

		assertThat(this.client.wanted()).isEmpty();
	}

	@Test
	void tokensGrowOverReleaseExpiryAndRanges() {
		LeaseGrant first = this.client.acquire("order:42", this.client.request(TTL, 100));
		this.client.release(first);
		LeaseGrant second = this.other.acquire("order:42");
		this.database.expire("order:42");
		LeaseGrant third = this.client.acquire("order:42", this.client.request(TTL, 3));

		assertThat(first.token().count()).isEqualTo(100);
		assertThat(second.token().first()).isGreaterThan(first.token().last());
		assertThat(third.token().first()).isGreaterThan(second.token().last());
	}

	@Test
	void tokensKeepGrowingWhereTheClockIsBehindThem() {
		LeaseGrant ahead = this.client.acquire("order:42", this.client.request(TTL, Integer.MAX_VALUE));
		this.client.release(ahead);

		LeaseGrant next = this.client.acquire("order:42");

		assertThat(next.token().first()).isEqualTo(ahead.token().last() + 1);
	}

	@Test
	void validityIsCountedFromBeforeTheRequestWasSent() {
		long before = this.client.clock().nanoTime();

		LeaseGrant grant = this.client.acquire("order:42");

		assertThat(grant.validUntil()).isBetween(LockClock.validUntil(before, TTL),
				LockClock.validUntil(this.client.clock().nanoTime(), TTL));
	}

	@Test
	void staleReleaseIsReportedAndLeavesTheNewHolderAlone() {
		LeaseGrant stale = this.client.acquire("order:42");
		this.database.expire("order:42");
		LeaseGrant current = this.other.acquire("order:42");

		boolean released = this.client.release(stale, Duration.ofHours(1));

		assertThat(released).isFalse();
		assertThat(this.other.renew(current, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.rest("order:42")).isLessThanOrEqualTo(TTL);
	}

	@Test
	void staleRenewalIsReportedAndLeavesTheNewHolderAlone() {
		LeaseGrant stale = this.client.acquire("order:42");
		this.database.expire("order:42");
		this.other.acquire("order:42");

		RenewalOutcome outcome = this.client.renew(stale, Duration.ofHours(1));

		assertThat(outcome).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.rest("order:42")).isLessThanOrEqualTo(TTL);
	}

	@Test
	void leaseThatHasRunOutIsNeitherRevivedNorReleased() {
		LeaseGrant grant = this.client.acquire("order:42");
		this.database.expire("order:42");

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(grant)).isFalse();
	}

	@Test
	void secondReleaseIsReportedAndHarmsNoHolder() {
		LeaseGrant grant = this.client.acquire("order:42");
		assertThat(this.client.release(grant)).isTrue();
		this.other.acquire("order:42");

		assertThat(this.client.release(grant)).isFalse();

		assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);
	}

	@Test
	void renewalLengthensAndNeverShortens() {
		LeaseGrant grant = this.client.acquire("order:42");

		this.client.renew(grant, TTL.multipliedBy(10));
		this.client.renew(grant, TTL);

		assertThat(this.other.rest("order:42")).isGreaterThan(TTL.multipliedBy(9));
	}

	@Test
	void renewalWithoutTtlOnlyAsks() {
		LeaseGrant grant = this.client.acquire("order:42");

		assertThat(this.client.renew(grant, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);

		assertThat(this.other.rest("order:42")).isBetween(TTL.minusSeconds(20), TTL);
	}

	@Test
	void cooldownOutlivesTheReleaseAndHasNoOwner() {
		LeaseGrant grant = this.client.acquire("order:42");

		assertThat(this.client.release(grant, Duration.ofHours(1))).isTrue();

		assertThat(this.client.rest("order:42")).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
		assertThat(JdbcTestClient.await(this.client.connection().find("order:42"))).isEmpty();
		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		this.database.expire("order:42");
		this.client.acquire("order:42");
	}

	@Test
	void tickRunsOnceAndIsDoneAfterwards() {
		Instant tick = Instant.ofEpochMilli(1_700_000_000_000L);
		LeaseGrant grant = this.client.acquire("job", this.client.request(tick));

		assertThat(this.other.attempt("job", this.other.request(tick))).isEqualTo(new AttemptOutcome.Done(tick));
		this.client.release(grant);
		assertThat(this.other.attempt("job", this.other.request(tick.minusMillis(1))))
			.isEqualTo(new AttemptOutcome.Done(tick));
	}

	@Test
	void laterTickIsBusyWhileTheFormerRunsAndThenGranted() {
		Instant tick = Instant.ofEpochMilli(1_700_000_000_000L);
		LeaseGrant grant = this.client.acquire("job", this.client.request(tick));
		LeaseRequest later = this.other.request(tick.plusSeconds(1));

		assertThat(this.other.attempt("job", later)).isInstanceOf(AttemptOutcome.Busy.class);
		this.client.release(grant);
		this.other.release(this.other.acquire("job", later));
		this.other.release(this.other.acquire("job"));

		assertThat(this.client.attempt("job", this.client.request(tick)))
			.isEqualTo(new AttemptOutcome.Done(tick.plusSeconds(1)));
	}

	@Test
	void waiterForATickThatHasRunIsDoneAndLeavesNoMark() {
		Instant tick = Instant.ofEpochMilli(1_700_000_000_000L);
		this.client.acquire("job", this.client.request(tick));
		LeaseRequest asked = this.other.request(tick);

		AttemptOutcome outcome = this.other.attempt("job",
				new LeaseRequest(asked.ownerId(), TTL, 1, tick, true, asked.timeout(), Duration.ZERO));

		assertThat(outcome).isEqualTo(new AttemptOutcome.Done(tick));
		assertThat(this.database.isMarked("job")).isFalse();
	}

	@Test
	void abandonedAttemptHoldsNothingAndOthersAreNotHarmed() {
		LeaseGrant orphan = this.client.acquire("order:42");

		this.client.abandon(orphan.target(), orphan.ownerId());
		LeaseGrant current = this.other.acquire("order:42");
		this.client.abandon(orphan.target(), orphan.ownerId());

		assertThat(this.other.release(current)).isTrue();
	}

	@Test
	void holderIsFoundAndListed() {
		LeaseGrant grant = this.client.acquire("order:42", this.client.request(TTL, 5));
		this.client.release(this.client.acquire("free"));

		LockInfo info = JdbcTestClient.await(this.other.connection().find("order:42")).orElseThrow();

		assertThat(info.instance()).isEqualTo("test@host:1");
		assertThat(info.fencingToken()).isEqualTo(grant.token().last());
		assertThat(info.remaining()).isBetween(TTL.minusSeconds(20), TTL);
		assertThat(info.heldFor()).isBetween(Duration.ZERO, Duration.ofSeconds(20));
		assertThat(JdbcTestClient.await(ListedLocks.all(this.other.connection()))).extracting(LockInfo::key)
			.containsExactly("order:42");
	}

	@Test
	void forcedReleaseTakesTheLockAway() {
		LeaseGrant grant = this.client.acquire("order:42");

		assertThat(JdbcTestClient.await(this.other.connection().forceRelease("order:42", Duration.ZERO))).isTrue();

		assertThat(JdbcTestClient.await(this.other.connection().forceRelease("order:42", Duration.ZERO))).isFalse();
		assertThat(this.client.release(grant)).isFalse();
		this.other.acquire("order:42");
	}

	@Test
	void timeZonesChangeNothing() {
		TimeZone before = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
			LeaseGrant grant = this.client.acquire("order:42");
			TimeZone.setDefault(TimeZone.getTimeZone("America/Los_Angeles"));
			try (JdbcTestClient elsewhere = new JdbcTestClient(this.database.dataSource(), this.database.settings())) {
				assertThat(elsewhere.rest("order:42")).isBetween(TTL.minusSeconds(20), TTL);
				assertThat(elsewhere.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
				elsewhere.release(grant);
				assertThat(elsewhere.acquire("order:42").token().first()).isGreaterThan(grant.token().last());
			}
		}
		finally {
			TimeZone.setDefault(before);
		}
	}

	@Test
	void everyLeaseOfABatchHasItsOwnOutcome() {
		LeaseGrant b = this.client.acquire("b");
		LeaseGrant stale = this.client.acquire("a");
		this.database.expire("a");
		this.other.acquire("a");
		LeaseGrant c = this.client.acquire("c");
		this.observed.forget();

		List<RenewalOutcome> outcomes = JdbcTestClient
			.await(this.client.connection().renew(List.of(renewal(c), renewal(stale), renewal(b))));

		assertThat(outcomes).hasExactlyElementsOfTypes(RenewalOutcome.Renewed.class, RenewalOutcome.Lost.class,
				RenewalOutcome.Renewed.class);
	}

	private static Renewal renewal(LeaseGrant grant) {
		return new Renewal(grant, TTL);
	}

	@Test
	void rowThatIsGoneIsMadeAgainAndTokensStillGrow() {
		LeaseGrant first = this.client.acquire("order:42");
		this.client.release(first);
		this.database.update("DELETE FROM @@table@@", Map.of());

		assertThat(this.client.acquire("order:42").token().first()).isGreaterThan(first.token().last());
	}

}
