package io.distributedlock.it.mariadb;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Effects of a server, and of the settings of sessions and drivers, on clients, for any
 * dialect that works with MariaDB.
 */
abstract class MariaDbServerContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final JdbcTestDatabase database = database();

	private HikariDataSource pool;

	private JdbcTestClient client;

	abstract JdbcTestDatabase database();

	/**
	 * Return the URL of the server for this dialect's driver.
	 * @return the URL
	 */
	abstract String url();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.pool = pool(null);
		this.client = new JdbcTestClient(this.pool, this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.pool.close();
	}

	private HikariDataSource pool(String initSql) {
		HikariDataSource created = MariaDbServer.pool(url(), 8);
		created.setConnectionInitSql(initSql);
		return created;
	}

	private JdbcTestClient client(HikariDataSource dataSource) {
		return new JdbcTestClient(dataSource, this.database.settings());
	}

	@Test
	void attemptAndReleaseCostTheServerOneQuestionEach() throws Exception {
		List<Long> attempts = new ArrayList<>();
		List<Long> releases = new ArrayList<>();
		for (int round = 0; round < 5; round++) {
			long before = questions();
			LeaseGrant grant = this.client.acquire("order:42");
			long between = questions();
			this.client.release(grant);
			attempts.add(between - before);
			releases.add(questions() - between);
		}

		// The whole server counts, including the pool's own statements.
		assertThat(attempts).as("least of %s", attempts).contains(2L).allMatch((asked) -> asked >= 2);
		assertThat(releases).as("least of %s", releases).contains(2L).allMatch((asked) -> asked >= 2);
	}

	// This query counts, too.
	private long questions() throws SQLException {
		try (Connection connection = this.database.dataSource().getConnection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
			rows.next();
			return rows.getLong(2);
		}
	}

	@Test
	void readOnlyDatabaseIsUnavailableAndNotBusyNorLost() {
		LeaseGrant grant = this.client.acquire("order:42");
		try (HikariDataSource standby = pool("SET SESSION TRANSACTION READ ONLY");
				JdbcTestClient other = client(standby)) {
			assertThat(other.attempt("free")).isInstanceOf(AttemptOutcome.Unavailable.class);
			assertThat(other.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Unknown.class);
		}
		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void connectionsThatTheServerEndsAreReplaced() throws Exception {
		LeaseGrant grant = this.client.acquire("order:42");
		// Just used, so the pool lends it without a check.
		this.client.renew(grant, TTL);
		killOthers();

		// A pool that finds them one by one may need more time than one renewal.
		await().atMost(PATIENCE)
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class));
	}

	private void killOthers() throws SQLException {
		try (Connection connection = this.database.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			List<Long> ids = new ArrayList<>();
			try (ResultSet rows = statement.executeQuery("SELECT id FROM information_schema.processlist"
					+ " WHERE id <> CONNECTION_ID() AND user = 'root' AND db = 'locks'")) {
				while (rows.next()) {
					ids.add(rows.getLong(1));
				}
			}
			for (Long id : ids) {
				statement.execute("KILL " + id);
			}
		}
	}

	@Test
	void rowThatAnotherSessionLocksCostsTheOtherLeasesOfItsBatchNothing() throws Exception {
		List<LeaseGrant> grants = IntStream.range(0, 5).mapToObj((i) -> this.client.acquire("row:" + i)).toList();
		JdbcLockSettings brief = this.database.settings(JdbcLockSettings.DEFAULT_TABLE, Duration.ofSeconds(2));
		try (JdbcTestClient other = new JdbcTestClient(this.pool, brief);
				Connection rude = this.database.dataSource().getConnection()) {
			lock(rude, "lock:row:1");

			// The wait for the row leaves the rest of the call timeout to the other
			// leases. A slow machine may use it up once. The next renewal then includes
			// them.
			await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
				List<RenewalOutcome> outcomes = JdbcTestClient
					.await(other.connection().renew(grants.stream().map((grant) -> new Renewal(grant, TTL)).toList()));
				assertThat(outcomes.get(1)).isInstanceOf(RenewalOutcome.Unknown.class);
				assertThat(outcomes).filteredOn(RenewalOutcome.Renewed.class::isInstance).hasSize(4);
			});

			unlock(rude);
		}
	}

	@Test
	void attemptOnARowThatAnotherSessionLocksEndsInTimeAndLeavesNothing() throws Exception {
		this.client.release(this.client.acquire("order:42"));
		LeaseRequest request;
		try (Connection rude = this.database.dataSource().getConnection()) {
			lock(rude, "lock:order:42");

			request = this.client.attemptThatGetsNoAnswer("order:42", Duration.ofMillis(300));

			unlock(rude);
		}
		this.client.abandon(LockTarget.exclusive("order:42"), request.ownerId());
		this.client.acquire("order:42");
	}

	private static void lock(Connection rude, String key) throws SQLException {
		rude.setAutoCommit(false);
		try (Statement statement = rude.createStatement()) {
			statement.execute("SELECT * FROM distributed_lock WHERE lock_key = '" + key + "' FOR UPDATE");
		}
	}

	private static void unlock(Connection rude) throws SQLException {
		rude.rollback();
		rude.setAutoCommit(true);
	}

	@ParameterizedTest
	@ValueSource(strings = { "READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE" })
	void everyIsolationWorks(String isolation) {
		try (HikariDataSource isolated = pool("SET SESSION TRANSACTION ISOLATION LEVEL " + isolation);
				JdbcTestClient first = client(isolated);
				JdbcTestClient second = client(isolated)) {
			List<AttemptOutcome> outcomes = IntStream.range(0, 100)
				.parallel()
				.mapToObj((i) -> ((i % 2 == 0) ? first : second).attempt("hot"))
				.toList();

			assertThat(outcomes).filteredOn(AttemptOutcome.Granted.class::isInstance).hasSize(1);
			assertThat(outcomes).noneMatch(AttemptOutcome.Unavailable.class::isInstance);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "+13:00", "-12:00" })
	void timeZoneOfTheSessionChangesNothing(String zone) {
		LeaseGrant grant = this.client.acquire("order:42");
		try (HikariDataSource far = pool("SET time_zone = '" + zone + "'"); JdbcTestClient other = client(far)) {
			assertThat(other.rest("order:42")).isBetween(TTL.minusSeconds(20), TTL);
			assertThat(other.release(grant)).isTrue();
			assertThat(other.acquire("order:42").token().first()).isGreaterThan(grant.token().last());
			assertThat(this.client.rest("order:42")).isBetween(TTL.minusSeconds(20), TTL);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "SIMULTANEOUS_ASSIGNMENT", "ANSI", "NO_BACKSLASH_ESCAPES", "ORACLE", "" })
	void modeOfTheSessionChangesNothing(String mode) {
		Instant tick = Instant.ofEpochMilli(1_700_000_000_000L);
		try (HikariDataSource unusual = pool("SET SESSION sql_mode = '" + mode + "'");
				JdbcTestClient other = client(unusual)) {
			LeaseGrant first = other.acquire("back\\slash'", other.request(tick));
			assertThat(other.attempt("back\\slash'")).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(other.attempt("back\\slash'", other.request(tick))).isEqualTo(new AttemptOutcome.Done(tick));
			assertThat(other.release(first)).isTrue();
			LeaseGrant next = other.acquire("back\\slash'", other.request(tick.plusMillis(1)));
			assertThat(next.token().first()).isGreaterThan(first.token().last());
			assertThat(this.client.rest("back\\slash'")).isBetween(TTL.minusSeconds(20), TTL);
		}
	}

	@Test
	void driverThatCountsOnlyRowsThatChangedLosesNoLease() {
		String counting = url() + (url().contains("?") ? "&" : "?") + "useAffectedRows=true";
		try (HikariDataSource affected = MariaDbServer.pool(counting, 8); JdbcTestClient other = client(affected)) {
			LeaseGrant grant = other.acquire("order:42");
			assertThat(other.renew(grant, TTL.multipliedBy(2))).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(other.renew(grant, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(other.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(other.release(grant)).isTrue();
			assertThat(other.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Lost.class);
		}
	}

	@Test
	void attemptThatIsSentAgainKeepsItsTokensAndCountsOnNothingMore() {
		LeaseRequest request = this.client.request(Duration.ofSeconds(20), 4);
		LeaseGrant grant = this.client.acquire("order:42", request);

		AttemptOutcome again = this.client.attempt("order:42",
				new LeaseRequest(request.ownerId(), TTL, 4, null, false, request.timeout(), Duration.ZERO));

		if (again instanceof AttemptOutcome.Granted granted) {
			assertThat(granted.grant().tokens()).isEqualTo(grant.tokens());
			assertThat(restAtTheServer()).isGreaterThan(TTL.minusSeconds(20));
		}
		else {
			assertThat(again).isInstanceOf(AttemptOutcome.Busy.class);
		}
	}

	private Duration restAtTheServer() {
		return JdbcTestClient.await(this.client.connection().find("order:42")).orElseThrow().remaining();
	}

}
