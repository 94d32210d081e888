package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockMode;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several exclusive locks that one request takes, on a database that can do that.
 */
public abstract class JdbcSeveralKeysContract {

	private static final List<String> KEYS = List.of("order:1", "order:2", "order:3");

	private static final UnaryOperator<String> UNLOCKED = (sql) -> FlawedStatement.broken(sql, "FOR UPDATE OF held",
			"");

	private static final String UPDATE = "UPDATE @@table@@ SET token = token WHERE lock_key = :key";

	private static final String INSERT = "INSERT INTO @@table@@ (lock_key, token, acquired_at, expires_at, format)"
			+ " VALUES (:key, 1, @@now@@, @@now@@, 1)";

	private final JdbcTestDatabase database = database();

	private final ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());

	private final SystemLockClock clock = new SystemLockClock();

	private JdbcTestClient client;

	private JdbcTestClient other;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.observed, this.database.settings());
		this.other = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		List.of(this.client, this.other).forEach((each) -> each.release(each.enter("shared", 0)));
		this.observed.forget();
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.other.close();
		this.clock.close();
	}

	private static LockTarget all(List<String> keys) {
		return new LockTarget(keys, LockMode.EXCLUSIVE);
	}

	private static AttemptOutcome attempt(JdbcTestClient client, List<String> keys) {
		return JdbcTestClient.await(client.connection().contend(all(keys), () -> {
		}).attempt(client.request()));
	}

	private static LeaseGrant acquire(JdbcTestClient client, List<String> keys) {
		AttemptOutcome outcome = attempt(client, keys);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	private Contender waiter(JdbcTestClient client, List<String> keys) {
		Contender contender = client.connection().contend(all(keys), () -> {
		});
		assertThat(JdbcTestClient.await(contender.attempt(client.waiting()))).isInstanceOf(AttemptOutcome.Busy.class);
		return contender;
	}

	@Test
	void onlyExclusiveKeysAreTakenTogether() {
		assertThat(this.client.connection().severalKeys(all(KEYS))).isEqualTo(SeveralKeys.AT_ONCE);
		assertThat(this.client.connection().severalKeys(new LockTarget(KEYS, LockMode.SHARED)))
			.isEqualTo(SeveralKeys.ONE_BY_ONE);
	}

	@ParameterizedTest
	@ValueSource(ints = { 2, 100 })
	void eachOperationTakesOneRequestWhateverTheNumberOfKeys(int number) {
		List<String> keys = IntStream.range(0, number).mapToObj((i) -> "order:" + (1000 + i)).toList();
		for (String rows : List.of("missing", "present")) {
			LeaseGrant grant = acquire(this.client, keys);
			assertRequests(1);
			assertThat(grant.tokens()).as("tokens of %s rows", rows).hasSize(number);
			assertThat(this.client.renew(grant, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertRequests(1);
			assertThat(this.client.release(grant)).isTrue();
			assertRequests(1);
		}
	}

	@Test
	void busyTryTakesOneRequestMoreToLearnTheRest() {
		this.other.acquire(KEYS.get(1));

		AttemptOutcome outcome = attempt(this.client, KEYS);

		assertRequests(2);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(((AttemptOutcome.Busy) outcome).retryAfter()).isPositive()
			.isLessThanOrEqualTo(JdbcTestClient.TTL.plusSeconds(1));
	}

	@Test
	void leasesOnOneAndOnSeveralKeysAreRenewedByOneRequest() {
		List<LeaseGrant> grants = List.of(acquire(this.client, KEYS), this.client.acquire("order:4"),
				acquire(this.client, List.of("order:5", "order:6")));
		this.database.expire("order:6");
		this.observed.forget();

		List<RenewalOutcome> outcomes = JdbcTestClient.await(this.client.connection()
			.renew(grants.stream().map((grant) -> new Renewal(grant, JdbcTestClient.TTL)).toList()));

		assertRequests(1);
		assertThat(outcomes.subList(0, 2)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(outcomes.get(2)).isInstanceOf(RenewalOutcome.Lost.class);
	}

	@Test
	void waiterMarksTheKeysThatAreTakenAndNoOther() {
		this.other.acquire(KEYS.get(0));
		this.other.acquire(KEYS.get(2));
		this.other.release(this.other.acquire(KEYS.get(1)));

		Contender contender = waiter(this.client, KEYS);

		assertThat(KEYS.stream().filter(this.database::isMarked)).containsExactly(KEYS.get(0), KEYS.get(2));
		contender.withdraw();
	}

	@Test
	void waiterIsWokenByTheReleaseOfEachKeyThatWasTaken() throws Exception {
		List<LeaseGrant> holders = List.of(this.other.acquire(KEYS.get(0)), this.other.acquire(KEYS.get(2)));
		Semaphore wakes = new Semaphore(0);
		Contender contender = this.client.connection().contend(all(KEYS), wakes::release);
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.until(() -> JdbcTestClient
				.await(contender.attempt(this.client.waiting())) instanceof AttemptOutcome.Busy busy
					&& busy.pollAfter().compareTo(Duration.ofSeconds(2)) > 0);
		for (LeaseGrant holder : holders) {
			wakes.drainPermits();
			assertThat(this.other.release(holder)).isTrue();
			assertThat(wakes.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
			assertThat(JdbcTestClient.await(contender.attempt(this.client.waiting())))
				.isInstanceOf((holder == holders.get(0)) ? AttemptOutcome.Busy.class : AttemptOutcome.Granted.class);
		}
	}

	@Test
	void waiterClosesGroupsUntilItWithdraws() {
		this.other.enter(KEYS.get(0), 0);
		this.other.enter(KEYS.get(2), 2);
		Contender contender = waiter(this.client, KEYS);
		assertThat(this.other.attempt(KEYS.get(0), 0)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.other.attempt(KEYS.get(2), 2)).isInstanceOf(AttemptOutcome.Busy.class);

		contender.withdraw();

		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.other.attempt(KEYS.get(0), 0) instanceof AttemptOutcome.Granted
					&& this.other.attempt(KEYS.get(2), 3) instanceof AttemptOutcome.Granted);
	}

	@Test
	void keyWhoseRowIsNotKnownIsNamed() {
		this.other.release(this.other.acquire(KEYS.get(1)));
		this.database.set(KEYS.get(1), "format = 7");

		AttemptOutcome outcome = attempt(this.client, KEYS);

		assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
		assertThat(((AttemptOutcome.Unavailable) outcome).cause()).hasMessageContaining(KEYS.get(1))
			.hasMessageContaining("7");
		assertThat(this.database.hasRow(KEYS.get(0), "owner IS NULL")).isTrue();
	}

	@Test
	void keyThatIsTakenWhileTheRequestWaitsLeavesAllOthersFree() throws Exception {
		assertThat(whileAKeyIsTaken(UnaryOperator.identity())).isNull();

		assertThat(this.database.hasRow(KEYS.get(0), "owner IS NULL")).isTrue();
		assertThat(this.database.hasRow(KEYS.get(1), "owner = 'intruder'")).isTrue();
		assertThat(this.database.hasRow(KEYS.get(2), "owner IS NULL")).isTrue();
	}

	@Test
	void requestThatDecidesBeforeItHasTheRowsTakesAKeyAwayFromItsHolder() throws Exception {
		assertThat(whileAKeyIsTaken(UNLOCKED)).isNotNull();

		assertThat(this.database.hasRow(KEYS.get(1), "owner = 'intruder'")).isFalse();
	}

	private @Nullable LockRows whileAKeyIsTaken(UnaryOperator<String> flaw) throws Exception {
		this.other.release(acquire(this.other, KEYS));
		LeaseRequest request = this.client.request();
		try (BlockedRow row = new BlockedRow(this.database, KEYS.get(1))) {
			CompletableFuture<@Nullable LockRows> taken = new FlawedStatement(this.database, this.clock)
				.run("acquire-all", flaw, (connection) -> new SeveralKeysSql(connection, KEYS, request).acquire());
			row.awaitWaiting(1);
			row.update("UPDATE @@table@@ SET owner = 'intruder', expires_at = @@after(60000)@@ WHERE lock_key = :key");
			row.commit();
			return taken.get(60, TimeUnit.SECONDS);
		}
	}

	@Test
	void rowsAreLockedInTheOrderOfTheirKeys() throws Exception {
		this.other.release(acquire(this.other, KEYS));

		assertLaterKeyIsLeftAlone(UnaryOperator.identity(), UPDATE, KEYS.get(2));
	}

	@Test
	void rowsAreCreatedInTheOrderOfTheirKeys() throws Exception {
		assertLaterKeyIsLeftAlone(UnaryOperator.identity(), INSERT, KEYS.get(2));
	}

	@Test
	void requestThatLocksRowsInAnotherOrderIsFound() throws Exception {
		this.other.release(acquire(this.other, KEYS));

		assertLaterKeyIsLeftAlone(
				(sql) -> FlawedStatement.broken(sql, "ORDER BY held.lock_key", "ORDER BY held.lock_key DESC"), UPDATE,
				KEYS.get(0));
	}

	@Test
	void requestThatCreatesRowsInAnotherOrderIsFound() throws Exception {
		assertLaterKeyIsLeftAlone((sql) -> FlawedStatement.broken(sql, "COLLATE \"C\"", "COLLATE \"C\" DESC"), INSERT,
				KEYS.get(0));
	}

	/**
	 * Let a request wait for the row in the middle, and take a key whose turn has not
	 * come.
	 */
	private void assertLaterKeyIsLeftAlone(UnaryOperator<String> flaw, String block, String later) throws Exception {
		LeaseRequest request = this.client.request();
		try (BlockedRow row = new BlockedRow(this.database, KEYS.get(1))) {
			row.update(block);
			CompletableFuture<@Nullable LockRows> taken = new FlawedStatement(this.database, this.clock)
				.run("acquire-all", flaw, (connection) -> new SeveralKeysSql(connection, KEYS, request).acquire());
			row.awaitWaiting(1);
			this.other.acquire(later);
			row.commit();

			assertThat(taken.get(60, TimeUnit.SECONDS)).isNull();
		}
		assertThat(KEYS.stream().filter((key) -> this.database.hasRow(key, "owner IS NOT NULL")))
			.containsExactly(later);
	}

	@Test
	void rowThatIsDeletedWhileTheRequestWaitsIsCreatedAgain() throws Exception {
		this.other.release(acquire(this.other, KEYS));
		try (BlockedRow row = new BlockedRow(this.database, KEYS.get(1))) {
			CompletableFuture<LeaseGrant> grant = CompletableFuture.supplyAsync(() -> acquire(this.client, KEYS));
			row.awaitWaiting(1);
			row.update("DELETE FROM @@table@@ WHERE lock_key = :key");
			row.commit();

			assertThat(this.client.release(grant.get(60, TimeUnit.SECONDS))).isTrue();
		}
	}

	@Test
	void requestsInOppositeOrdersNeverDeadlockAlsoWhileRowsAreCreatedAndDeleted() throws Exception {
		List<String> keys = IntStream.range(0, 5).mapToObj((i) -> "order:" + i).toList();
		JdbcTestClient second = new JdbcTestClient(this.observed, this.database.settings());
		second.release(second.acquire(KEYS.get(0)));
		AtomicIntegerArray holders = new AtomicIntegerArray(keys.size());
		List<CompletableFuture<Void>> workers = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			JdbcTestClient each = (i % 2 == 0) ? this.client : second;
			Random random = new Random(i);
			CompletableFuture<Void> worker = new CompletableFuture<>();
			workers.add(worker);
			new Thread(() -> {
				try {
					for (int round = 0; round < 100; round++) {
						holdSome(each, keys, holders, random);
					}
					worker.complete(null);
				}
				catch (Throwable ex) {
					worker.completeExceptionally(ex);
				}
			}).start();
		}

		CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
		second.close();

		assertThat(this.observed.refusals()).isEmpty();
	}

	private void holdSome(JdbcTestClient client, List<String> keys, AtomicIntegerArray holders, Random random) {
		List<String> some = new ArrayList<>(keys);
		Collections.shuffle(some, random);
		// The engine puts the keys of a request in order.
		some = some.subList(0, 1 + random.nextInt(3)).stream().sorted().toList();
		if (attempt(client, some) instanceof AttemptOutcome.Granted granted) {
			for (String key : some) {
				assertThat(holders.incrementAndGet(keys.indexOf(key))).as("holders of '%s'", key).isEqualTo(1);
			}
			some.forEach((key) -> holders.decrementAndGet(keys.indexOf(key)));
			assertThat(client.release(granted.grant())).isTrue();
		}
		String unused = keys.get(random.nextInt(keys.size()));
		this.database.update("DELETE FROM @@table@@ WHERE lock_key = :key AND expires_at <= @@now@@",
				Map.of("key", this.database.key(unused)));
	}

	@Test
	void abandonedRequestLeavesNoKeyTaken() {
		LeaseGrant grant = acquire(this.client, KEYS);

		JdbcTestClient.await(this.other.connection().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		assertThat(attempt(this.other, KEYS)).isInstanceOf(AttemptOutcome.Granted.class);
	}

	private void assertRequests(int number) {
		assertThat(this.observed.requests().stream().filter((sql) -> !sql.startsWith("LISTEN"))).hasSize(number);
		this.observed.forget();
	}

}
