package io.distributedlock.it.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.ObservedDataSource;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Faults of a PostgreSQL server and their effects on its clients.
 */
class PostgresJdbcServerIntegrationTests {

	private static final Duration TTL = JdbcTestClient.TTL;

	private final JdbcTestDatabase database = PostgresServer.database();

	private HikariDataSource pool;

	private JdbcTestClient client;

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.pool = PostgresServer.pool(6);
		this.client = new JdbcTestClient(this.pool, this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.pool.close();
	}

	@Test
	void readOnlyDatabaseIsUnavailableAndServesAgainWhenItIsNot() throws Exception {
		LeaseGrant grant = this.client.acquire("order:42");
		execute("ALTER DATABASE postgres SET default_transaction_read_only = on");
		try (HikariDataSource standby = PostgresServer.pool(6);
				JdbcTestClient other = new JdbcTestClient(standby, this.database.settings())) {
			AttemptOutcome outcome = other.attempt("free");

			assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("read-only"));
			assertThat(other.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Unknown.class);
			execute("SET default_transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only");
			// Connections that were created before stay read-only, even if they become
			// ready only later.
			Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
				standby.getHikariPoolMXBean().softEvictConnections();
				assertThat(other.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
				other.acquire("free");
			});
		}
		finally {
			execute("SET default_transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only");
		}
	}

	@Test
	void connectionsThatTheServerEndsAreReplaced() throws Exception {
		LeaseGrant grant = this.client.acquire("order:42");
		execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
				+ " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		LeaseGrant other = this.client.acquire("order:43");
		assertThat(List.of(tryRelease(grant), this.client.release(other))).contains(true);
	}

	private boolean tryRelease(LeaseGrant grant) {
		try {
			return this.client.release(grant);
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	@Test
	void rowThatAnotherSessionLocksCostsTheOtherLeasesOfItsBatchNothing() throws Exception {
		List<LeaseGrant> grants = IntStream.range(0, 5).mapToObj((i) -> this.client.acquire("row:" + i)).toList();
		JdbcLockSettings brief = this.database.settings(JdbcLockSettings.DEFAULT_TABLE, Duration.ofSeconds(2));
		try (JdbcTestClient other = new JdbcTestClient(this.pool, brief);
				Connection rude = this.database.dataSource().getConnection()) {
			rude.setAutoCommit(false);
			try (Statement statement = rude.createStatement()) {
				statement.execute("SELECT * FROM distributed_lock WHERE lock_key = 'lock:row:1' FOR UPDATE");
			}

			// The wait for the row leaves the rest of the call timeout to the other
			// leases. A slow machine may use it up once. The next renewal then includes
			// them.
			Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(() -> {
				List<RenewalOutcome> outcomes = JdbcTestClient
					.await(other.connection().renew(grants.stream().map((grant) -> new Renewal(grant, TTL)).toList()));
				assertThat(outcomes.get(1)).isInstanceOf(RenewalOutcome.Unknown.class);
				assertThat(outcomes).filteredOn(RenewalOutcome.Renewed.class::isInstance).hasSize(4);
			});

			rude.rollback();
			rude.setAutoCommit(true);
		}
	}

	@Test
	void releasesThatAreRefusedTogetherAreRepeatedOneByOne() throws Exception {
		List<CompletionStage<Boolean>> released = releaseTogether(
				(observed) -> observed.failNext("unnest", new SQLException("refused", "42000")));

		assertThat(released).allSatisfy((each) -> assertThat(JdbcTestClient.await(each)).isTrue());
	}

	@Test
	void releasesWhoseCommonAnswerIsLostAreUnknownAndNotLost() throws Exception {
		List<CompletionStage<Boolean>> released = releaseTogether(
				(observed) -> observed.loseAnswer("unnest", new SQLException("reset", "08006")));

		assertThat(JdbcTestClient.await(released.get(0))).isTrue();
		assertThat(released.subList(1, 6))
			.allSatisfy((each) -> assertThatThrownBy(() -> JdbcTestClient.await(each)).hasRootCauseMessage("reset"));
		assertThat(JdbcTestClient.await(ListedLocks.all(this.client.connection()))).isEmpty();
	}

	private List<CompletionStage<Boolean>> releaseTogether(Consumer<ObservedDataSource> fault) throws Exception {
		ObservedDataSource observed = new ObservedDataSource(this.pool);
		try (JdbcTestClient other = new JdbcTestClient(observed, this.database.settings());
				Connection rude = this.database.dataSource().getConnection()) {
			List<LeaseGrant> grants = IntStream.range(0, 6).mapToObj((i) -> other.acquire("row:" + i)).toList();
			fault.accept(observed);
			rude.setAutoCommit(false);
			try (Statement statement = rude.createStatement()) {
				statement.execute("SELECT * FROM distributed_lock WHERE lock_key = 'lock:row:0' FOR UPDATE");
			}
			observed.forget();
			List<CompletionStage<Boolean>> released = new ArrayList<>();
			released.add(other.connection().release(grants.get(0), Duration.ZERO));
			Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !observed.statements().isEmpty());
			grants.subList(1, 6).forEach((grant) -> released.add(other.connection().release(grant, Duration.ZERO)));
			rude.rollback();
			rude.setAutoCommit(true);
			released.forEach((each) -> Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> each.toCompletableFuture().isDone()));
			assertThat(observed.isExhausted()).isTrue();
			return released;
		}
	}

	@Test
	void attemptOnARowThatAnotherSessionLocksEndsInTimeAndLeavesNothing() throws Exception {
		this.client.release(this.client.acquire("order:42"));
		LeaseRequest request;
		try (Connection rude = this.database.dataSource().getConnection()) {
			rude.setAutoCommit(false);
			try (Statement statement = rude.createStatement()) {
				statement.execute("SELECT * FROM distributed_lock WHERE lock_key = 'lock:order:42' FOR UPDATE");
			}

			request = this.client.attemptThatGetsNoAnswer("order:42", Duration.ofMillis(300));

			rude.rollback();
			rude.setAutoCommit(true);
		}
		this.client.abandon(LockTarget.exclusive("order:42"), request.ownerId());
		// The database may execute the statement only now. The store then releases the
		// lock that it has taken.
		Awaitility.await().until(() -> this.client.attempt("order:42") instanceof AttemptOutcome.Granted);
	}

	@Test
	void patientCallerIsServedOnItsOwnThreadJustAfterAnotherAttempt() {
		// If the machine pauses for a moment, the connection is returned meanwhile.
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> {
				LeaseRequest patient = new LeaseRequest(OwnerId.random(), TTL, 1, null, false, Duration.ofSeconds(60),
						Duration.ofSeconds(60));
				CompletableFuture<AttemptOutcome> outcome = this.client.connection()
					.contend(LockTarget.exclusive(OwnerId.random().value()), () -> {
					})
					.attempt(patient)
					.toCompletableFuture();
				boolean done = outcome.isDone();
				assertThat(JdbcTestClient.await(outcome)).isInstanceOf(AttemptOutcome.Granted.class);
				return done;
			});
	}

	@Test
	void connectionOfAPatientCallerGoesBackToThePoolSoon() {
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 2);
		LeaseRequest patient = new LeaseRequest(OwnerId.random(), TTL, 1, null, false, Duration.ofSeconds(60),
				Duration.ofSeconds(60));

		this.client.acquire("order:42", patient);

		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "read committed", "repeatable read", "serializable" })
	void everyIsolationWorks(String isolation) {
		try (HikariDataSource isolated = PostgresServer.pool(10)) {
			isolated.setConnectionInitSql("SET default_transaction_isolation = '" + isolation + "'");
			try (JdbcTestClient first = new JdbcTestClient(isolated, this.database.settings());
					JdbcTestClient second = new JdbcTestClient(isolated, this.database.settings())) {
				List<AttemptOutcome> outcomes = IntStream.range(0, 200)
					.parallel()
					.mapToObj((i) -> ((i % 2 == 0) ? first : second).attempt("hot"))
					.toList();

				assertThat(outcomes).filteredOn(AttemptOutcome.Granted.class::isInstance).hasSize(1);
				assertThat(outcomes).noneMatch(AttemptOutcome.Unavailable.class::isInstance);
			}
		}
	}

	@Test
	void timeZoneOfTheSessionChangesNothing() {
		LeaseGrant grant = this.client.acquire("order:42");
		try (HikariDataSource far = PostgresServer.pool(4)) {
			far.setConnectionInitSql("SET TIME ZONE 'Pacific/Kiritimati'");
			try (JdbcTestClient other = new JdbcTestClient(far, this.database.settings())) {
				assertThat(other.rest("order:42")).isBetween(TTL.minusSeconds(20), TTL);
				assertThat(other.release(grant)).isTrue();
				assertThat(other.acquire("order:42").token().first()).isGreaterThan(grant.token().last());
			}
		}
	}

	@Test
	void networkTimeoutsAreGivenBackAsTheyWere() throws Exception {
		try (HikariDataSource single = PostgresServer.pool(3)) {
			JdbcLockSettings settings = this.database.settings();
			try (JdbcTestClient other = new JdbcTestClient(single, settings)) {
				other.release(other.acquire("order:42"));
			}
			try (Connection connection = single.getConnection()) {
				assertThat(connection.getNetworkTimeout()).isZero();
			}
		}
	}

	private void execute(String sql) throws SQLException {
		try (Connection connection = this.database.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
