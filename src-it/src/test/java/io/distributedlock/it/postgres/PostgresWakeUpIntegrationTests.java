package io.distributedlock.it.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.distributedlock.backend.jdbc.IdleWaiting;
import io.distributedlock.backend.jdbc.JdbcLockBackend;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcLockSettings.Notifications;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.ObservedDataSource;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waiters that PostgreSQL notifies of releases.
 */
@ExtendWith(OutputCaptureExtension.class)
class PostgresWakeUpIntegrationTests {

	private static final String KEY = "order:42";

	private static final Duration A_SECOND = Duration.ofSeconds(1);

	private static final Duration A_MINUTE = Duration.ofMinutes(1);

	/**
	 * The maximum number of statements per second of 100 waiters that sleep for 5 s: a
	 * look and a mark each.
	 */
	private static final double MOST_TOLD = 100 * 2 / 5.0 + 1;

	private final JdbcTestDatabase database = PostgresServer.database();

	private HikariDataSource pool;

	private ObservedDataSource observed;

	private JdbcTestClient holder;

	private JdbcTestClient waiter;

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.observed = new ObservedDataSource(this.database.dataSource());
		this.holder = new JdbcTestClient(this.observed, this.database.settings());
		this.pool = PostgresServer.pool(8);
		this.waiter = new JdbcTestClient(this.pool, this.database.settings());
	}

	@AfterEach
	void stop() {
		this.waiter.close();
		this.holder.close();
		this.pool.close();
	}

	@Test
	void releaseWakesAWaiterElsewhere() {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();

		this.holder.release(grant);

		sleeper.untilGranted();
	}

	@Test
	void releaseThatWakesIsOneStatement() {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();
		this.observed.forget();

		this.holder.release(grant);

		assertThat(this.observed.statements()).hasSize(1);
		sleeper.untilGranted();
	}

	@Test
	void releasesOfABatchWakeEachOfTheirWaiters() throws Exception {
		List<LeaseGrant> grants = IntStream.range(0, 6).mapToObj((i) -> this.holder.acquire("row:" + i)).toList();
		List<Sleeper> sleepers = IntStream.range(1, 6).mapToObj((i) -> sleeper("row:" + i).asleep()).toList();
		this.observed.forget();
		List<CompletionStage<Boolean>> released = new ArrayList<>();
		try (Connection rude = this.database.dataSource().getConnection()) {
			rude.setAutoCommit(false);
			execute(rude, "SELECT * FROM distributed_lock WHERE lock_key = 'lock:row:0' FOR UPDATE");
			released.add(this.holder.connection().release(grants.get(0), Duration.ZERO));
			await().until(() -> !this.observed.statements().isEmpty());
			grants.subList(1, 6)
				.forEach((grant) -> released.add(this.holder.connection().release(grant, Duration.ZERO)));
			rude.rollback();
			rude.setAutoCommit(true);
		}

		sleepers.forEach(Sleeper::untilGranted);
		assertThat(released).allSatisfy((each) -> assertThat(JdbcTestClient.await(each)).isTrue());
		assertThat(this.observed.statements()).hasSize(2);
	}

	@Test
	void releaseWithCooldownReportsTheNewRest() {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();

		this.holder.release(grant, Duration.ofSeconds(4));

		assertThat(sleeper.untilWoken().busy().pollAfter()).isLessThan(Duration.ofMillis(4051));
	}

	@Test
	void forcedReleaseWakes() {
		this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();

		JdbcTestClient.await(this.holder.connection().forceRelease(KEY, Duration.ZERO));

		sleeper.untilGranted();
	}

	@Test
	void abandonmentWakes() {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();

		this.holder.abandon(LockTarget.exclusive(KEY), grant.ownerId());

		sleeper.untilGranted();
	}

	@Test
	void keysOfAnyKindWakeTheirWaiters() {
		String strange = "\\0 Ä\0'\"" + "\uD83D\uDD12".repeat(240);
		LeaseGrant grant = this.holder.acquire(strange);
		Sleeper sleeper = sleeper(strange).asleep();

		this.holder.release(grant);

		sleeper.untilGranted();
	}

	@Test
	void noClientIsNotifiedWithoutAMark() throws Exception {
		try (Connection listening = this.database.dataSource().getConnection()) {
			execute(listening, "LISTEN distributed_lock");
			this.holder.release(this.holder.acquire("unmarked"));
			this.holder.abandon(LockTarget.exclusive("unmarked"), this.holder.acquire("unmarked").ownerId());
			this.holder.acquire("unmarked");
			JdbcTestClient.await(this.holder.connection().forceRelease("unmarked", Duration.ZERO));
			LeaseGrant marked = this.holder.acquire(KEY);
			this.holder.attempt(KEY, this.holder.waiting());

			this.holder.release(marked);

			assertThat(keysHeard(listening)).containsExactly("lock:" + KEY);
			execute(listening, "UNLISTEN *");
		}
	}

	private static List<String> keysHeard(Connection listening) throws SQLException {
		PGConnection driver = listening.unwrap(PGConnection.class);
		List<String> keys = new ArrayList<>();
		while (!keys.contains("lock:" + KEY)) {
			for (var each : driver.getNotifications(10_000)) {
				// The client's trial notification is not a key.
				if (!each.getParameter().startsWith("\\")) {
					keys.add(each.getParameter());
				}
			}
		}
		return keys;
	}

	@Test
	void lostConnectionIsReplacedAndReleasesAreHeardAgain() throws Exception {
		LeaseGrant grant = this.holder.acquire(KEY);
		Sleeper sleeper = sleeper(KEY).asleep();

		execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
		sleeper.untilWoken().asleep();
		this.holder.release(grant);

		sleeper.untilGranted();
	}

	@Test
	void connectionIsGivenBackSilentAMinuteAfterTheLastWaiter() throws Exception {
		VirtualLockClock clock = new VirtualLockClock();
		this.holder.acquire(KEY);
		try (HikariDataSource own = PostgresServer.pool(4)) {
			BackendConnection connection = new JdbcLockBackend(own, this.database.settings(), clock)
				.connect((owner) -> {
				});
			Sleeper sleeper = new Sleeper(connection, KEY).asleep();
			await().until(() -> own.getHikariPoolMXBean().getActiveConnections() == 3);

			sleeper.withdraw();
			clock.advance(Duration.ofSeconds(61));

			await().until(() -> own.getHikariPoolMXBean().getActiveConnections() == 2);
			assertThat(channels(own)).isEmpty();
			connection.close();
			await().until(() -> own.getHikariPoolMXBean().getActiveConnections() == 0);
		}
	}

	private static List<String> channels(HikariDataSource pool) throws SQLException {
		List<String> channels = new ArrayList<>();
		try (Connection first = pool.getConnection(); Connection second = pool.getConnection()) {
			for (Connection each : List.of(first, second)) {
				try (Statement statement = each.createStatement();
						ResultSet rows = statement.executeQuery("SELECT pg_listening_channels()")) {
					while (rows.next()) {
						channels.add(rows.getString(1));
					}
				}
			}
		}
		return channels;
	}

	@Test
	void stopGivesTheConnectionBackWhileAContenderWaits() {
		this.holder.acquire(KEY);
		sleeper(KEY).asleep();

		this.waiter.stop();

		// The stop waits for that, but not forever.
		await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 0);
	}

	@Test
	void uncontendedLocksNeedNoListener() {
		await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 2);
		Sleeper alone = sleeper(KEY);
		alone.attempt();

		await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 2);
		assertThat(this.pool.getHikariPoolMXBean().getTotalConnections()).isLessThanOrEqualTo(3);
	}

	@Test
	void waitersPollAndLeaveNoMarkWhereNotificationsAreOff() {
		this.holder.acquire(KEY);
		try (JdbcTestClient other = new JdbcTestClient(this.pool, settings(Notifications.OFF))) {
			Sleeper polling = new Sleeper(other.connection(), KEY);

			assertThat(polling.busy().pollAfter()).isLessThanOrEqualTo(A_SECOND);
			assertThat(this.database.isMarked(KEY)).isFalse();
			assertThat(JdbcTestClient.await(other.connection().wakesContenders(LockTarget.exclusive(KEY)))).isFalse();
		}
	}

	@Test
	void waitersPollAndLeaveNoMarkWhereNotificationsDoNotArrive(CapturedOutput output) {
		JdbcLockSettings brief = this.database.settings(JdbcLockSettings.DEFAULT_TABLE, Duration.ofMillis(600));
		try (JdbcTestClient silenced = new JdbcTestClient(new SilencedDataSource(this.pool), brief)) {
			this.holder.acquire("row");
			Sleeper polling = new Sleeper(silenced.connection(), "row");
			polling.busy();
			await().until(() -> output.getAll().contains("lock.jdbc.notifications=off"));
			this.holder.acquire(KEY);

			assertThat(polling.busy().pollAfter()).isLessThanOrEqualTo(A_SECOND);
			new Sleeper(silenced.connection(), KEY).busy();
			assertThat(this.database.isMarked(KEY)).isFalse();
			assertThat(output.getAll()).containsOnlyOnce("lock.jdbc.notifications=off");
		}
	}

	@Test
	void hundredIdleWaitersCostFewStatements() {
		IntStream.range(0, 100).forEach((i) -> this.holder.acquire("row:" + i));
		// By now waiters that poll have reached their longest delay.
		this.database.update("UPDATE @@table@@ SET acquired_at = @@after(-10000)@@", Map.of());

		double told = idle();
		System.out.printf("100 waiters for 100 keys: %.1f statements/s with notifications%n", told);
		assertThat(told).isPositive().isLessThanOrEqualTo(MOST_TOLD);
	}

	private double idle() {
		try (IdleWaiting waiting = new IdleWaiting(new JdbcTestDatabase("postgresql", this.pool),
				settings(Notifications.AUTO))) {
			waiting.begin(100, (i) -> "row:" + i);
			// By then all waiters poll at their longest delay.
			waiting.statementsPerSecond(Duration.ofSeconds(6), 100);
			// The connection that listens opens in real time, not in that of the waiters.
			await().until(() -> waiting.statementsPerSecond(Duration.ofSeconds(5), 100) <= MOST_TOLD);
			return waiting.statementsPerSecond(Duration.ofSeconds(20), 100);
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(A_MINUTE);
	}

	private Sleeper sleeper(String key) {
		return new Sleeper(this.waiter.connection(), key);
	}

	private JdbcLockSettings settings(Notifications notifications) {
		JdbcLockSettings settings = this.database.settings();
		return new JdbcLockSettings(settings.keyPrefix(), settings.instanceId(), settings.table(),
				settings.readerTable(), settings.callTimeout(), settings.tokenRetention(), null, notifications);
	}

	private void execute(String sql) throws SQLException {
		try (Connection connection = this.database.dataSource().getConnection()) {
			execute(connection, sql);
		}
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
