package io.distributedlock.it.postgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcTestNode;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A PostgreSQL server whose queue of notifications is full, because a session that
 * listens stays in a transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
@FurtherTopology
class PostgresFullNotifyQueueIntegrationTests {

	private static final String KEY = "order:42";

	private static EmbeddedPostgres server;

	private static HikariDataSource pool;

	private JdbcTestDatabase database;

	private JdbcTestClient holder;

	private JdbcTestClient waiter;

	private Connection foreign;

	@BeforeAll
	static void startServer() throws IOException {
		server = PostgresServer.builder(FreePorts.next())
			// The smallest possible size, half a megabyte.
			.setServerConfig("max_notify_queue_pages", "64")
			.start();
		pool = new HikariDataSource();
		pool.setJdbcUrl(server.getJdbcUrl("postgres", "postgres"));
		pool.setMaximumPoolSize(20);
	}

	@AfterAll
	static void stopServer() throws IOException {
		pool.close();
		server.close();
	}

	@BeforeEach
	void start() throws SQLException {
		this.database = new JdbcTestDatabase("postgresql", pool);
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.holder = new JdbcTestClient(pool, this.database.settings());
		this.waiter = new JdbcTestClient(pool, this.database.settings());
		this.foreign = pool.getConnection();
	}

	@AfterEach
	void stop() throws SQLException {
		emptyTheQueue();
		this.foreign.close();
		this.waiter.close();
		this.holder.close();
	}

	@Test
	void releaseWithAWaiterEndsTheLease() throws SQLException {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();
		fillTheQueue();

		assertThat(this.holder.release(grant)).isTrue();

		assertThat(sleeper.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void releaseWithACooldownBeginsIt() throws SQLException {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();
		fillTheQueue();

		assertThat(this.holder.release(grant, Duration.ofSeconds(30))).isTrue();

		assertThat(sleeper.busy().retryAfter()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
	}

	@Test
	void releasesOfABatchEndTheirLeases() throws Exception {
		List<LeaseGrant> grants = IntStream.range(0, 6).mapToObj((i) -> this.holder.acquire("row:" + i)).toList();
		List<Sleeper> sleepers = IntStream.range(0, 6).mapToObj((i) -> sleeper("row:" + i).asleep()).toList();
		fillTheQueue();
		List<CompletionStage<Boolean>> released = new ArrayList<>();
		try (Connection rude = pool.getConnection()) {
			rude.setAutoCommit(false);
			execute(rude, "SELECT * FROM distributed_lock WHERE lock_key = 'lock:row:0' FOR UPDATE");
			grants.forEach((grant) -> released.add(this.holder.connection().release(grant, Duration.ZERO)));
			rude.rollback();
			rude.setAutoCommit(true);
		}

		assertThat(released).allSatisfy((each) -> assertThat(JdbcTestClient.await(each)).isTrue());

		assertThat(sleepers)
			.allSatisfy((each) -> assertThat(each.attempt()).isInstanceOf(AttemptOutcome.Granted.class));
	}

	@Test
	void abandonmentEndsTheLease() throws SQLException {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();
		fillTheQueue();

		this.holder.abandon(LockTarget.exclusive(KEY), grant.ownerId());

		assertThat(sleeper.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void forcedReleaseEndsTheLease() throws SQLException {
		this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();
		fillTheQueue();

		assertThat(JdbcTestClient.await(this.holder.connection().forceRelease(KEY, Duration.ZERO))).isTrue();

		assertThat(sleeper.attempt()).isInstanceOf(AttemptOutcome.Granted.class);
	}

	@Test
	void waitersPollUntilTheQueueHasRoomAndTheLogSaysSoOnce(CapturedOutput output) throws SQLException {
		try (JdbcTestNode first = node(); JdbcTestNode second = node()) {
			Lease lease = first.template().acquire(KEY);
			CompletionStage<Lease> next = second.template()
				.acquireAsync(LockRequest.of(KEY).waitTime(Duration.ofMinutes(1)));
			Awaitility.await().until(() -> this.database.isMarked(KEY));
			fillTheQueue();

			lease.close();

			Lease passed = JdbcTestClient.await(next);
			CompletionStage<Lease> third = first.template()
				.acquireAsync(LockRequest.of(KEY).waitTime(Duration.ofMinutes(1)));
			Awaitility.await().until(() -> this.database.isMarked(KEY));
			passed.close();
			JdbcTestClient.await(third).close();
			for (int i = 0; i < 3; i++) {
				LeaseGrant grant = this.holder.acquire("row:" + i);
				this.waiter.attempt("row:" + i, this.waiter.waiting());
				this.holder.release(grant);
			}
			this.foreign.rollback();
			LeaseGrant grant = this.holder.acquire(KEY);
			Sleeper sleeper = sleeper(KEY).asleep();
			this.holder.release(grant);
			sleeper.untilGranted();
			// Each of the three stores that released may log it once.
			assertThat(output.getAll().split("queue of notifications is full", -1)).hasSizeLessThanOrEqualTo(1 + 3);
			assertThat(output.getAll()).contains("queue of notifications is full");
		}
	}

	private JdbcTestNode node() {
		return new JdbcTestNode(pool, this.database.settings(), Duration.ofMinutes(5), HandOverSettings.DEFAULTS);
	}

	private Sleeper sleeper(String key) {
		return new Sleeper(this.waiter.connection(), key);
	}

	private void fillTheQueue() throws SQLException {
		execute(this.foreign, "LISTEN elsewhere");
		this.foreign.setAutoCommit(false);
		execute(this.foreign, "SELECT 1");
		try (Connection talkative = pool.getConnection()) {
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> {
				for (int i = 0; i < 10_000; i++) {
					execute(talkative, "SELECT pg_notify('elsewhere', repeat('x', 7000))");
				}
			}).satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo("54000"));
			// A small notification may still fit into a queue that is too full for a
			// large one.
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> {
				for (int i = 0; i < 10_000; i++) {
					execute(talkative, "SELECT pg_notify('elsewhere', '')");
				}
			}).satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo("54000"));
		}
	}

	private void emptyTheQueue() throws SQLException {
		if (!this.foreign.getAutoCommit()) {
			this.foreign.rollback();
			this.foreign.setAutoCommit(true);
		}
		execute(this.foreign, "UNLISTEN *");
		execute(this.foreign, "SELECT pg_notification_queue_usage()");
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
