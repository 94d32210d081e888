package io.distributedlock.it.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waiters for groups and behind them that PostgreSQL notifies.
 */
class PostgresGroupWakeUpIntegrationTests {

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = PostgresServer.database();

	private HikariDataSource pool;

	private JdbcTestClient holder;

	private JdbcTestClient waiter;

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.holder = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		this.pool = PostgresServer.pool(8);
		this.waiter = new JdbcTestClient(this.pool, this.database.settings());
	}

	@AfterEach
	void stop() {
		this.waiter.close();
		this.holder.close();
		this.pool.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void releaseOfTheLastMemberWakesAWriter(int permits) {
		LeaseGrant one = this.holder.enter(KEY, permits);
		LeaseGrant two = this.holder.enter(KEY, permits);
		Sleeper writer = new Sleeper(this.waiter.connection(), KEY).asleep();

		this.holder.release(one);
		this.holder.release(two);

		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> writer.untilWoken().attempt() instanceof AttemptOutcome.Granted);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void releaseOfAWriterWakesMembers(int permits) {
		LeaseGrant writer = this.holder.acquire(KEY);
		Sleeper member = sleeper(permits).asleep();

		this.holder.release(writer);

		member.untilGranted();
	}

	@Test
	void releaseAndAbandonmentOfAPermitWakeAWaiterForOne() {
		for (boolean abandoned : new boolean[] { false, true }) {
			this.holder.enter(KEY, 2);
			LeaseGrant permit = this.holder.enter(KEY, 2);
			Sleeper sleeper = sleeper(2);
			// The first attempt may have asked before its client was subscribed.
			sleeper.asleep();

			if (abandoned) {
				this.holder.abandon(permit.target(), permit.ownerId());
			}
			else {
				this.holder.release(permit);
			}

			sleeper.untilGranted();
			JdbcTestClient.await(this.holder.connection().forceRelease(KEY, Duration.ZERO));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void withdrawalOfTheWriterWakesTheMembersBehindTheDoor(int permits) {
		this.holder.enter(KEY, permits, Duration.ofHours(1));
		Sleeper writer = new Sleeper(this.waiter.connection(), KEY).asleep();
		Sleeper member = sleeper(permits);
		member.busy();

		writer.withdraw();

		member.untilGranted();
	}

	@Test
	void forcedReleaseOfAGroupWakesWaiters() {
		this.holder.enter(KEY, 1);
		Sleeper writer = new Sleeper(this.waiter.connection(), KEY).asleep();

		JdbcTestClient.await(this.holder.connection().forceRelease(KEY, Duration.ZERO));

		writer.untilGranted();
	}

	@Test
	void noClientIsNotifiedWithoutAWaiter() throws Exception {
		try (Connection listening = this.database.dataSource().getConnection()) {
			execute(listening, "LISTEN distributed_lock");
			for (int permits : new int[] { 0, 3 }) {
				LeaseGrant one = this.holder.enter("unmarked", permits);
				LeaseGrant two = this.holder.enter("unmarked", permits);
				this.holder.attempt("unmarked");
				this.holder.renew(one, Duration.ofHours(1));
				this.holder.release(one);
				this.holder.abandon(two.target(), two.ownerId());
			}
			LeaseGrant marked = this.holder.enter(KEY, 0);
			this.holder.attempt(KEY, this.holder.waiting());

			this.holder.release(marked);

			assertThat(keysHeard(listening)).containsOnly("lock:" + KEY);
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

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void writerThatPollsBecauseNotificationsAreOffClosesTheDoorToo(int permits) {
		JdbcLockSettings settings = this.database.settings();
		JdbcLockSettings off = new JdbcLockSettings(settings.keyPrefix(), settings.instanceId(), settings.table(),
				settings.readerTable(), settings.callTimeout(), settings.tokenRetention(), null,
				JdbcLockSettings.Notifications.OFF);
		try (JdbcTestClient polling = new JdbcTestClient(this.pool, off)) {
			this.holder.enter(KEY, permits, Duration.ofHours(1));
			Sleeper writer = new Sleeper(polling.connection(), KEY);
			AttemptOutcome outcome;
			int rounds = 0;
			do {
				// On a machine that stands still, a mark may be over before the next
				// attempt.
				writer.busy();
				outcome = this.holder.attempt(KEY, permits);
				rounds++;
			}
			while (outcome instanceof AttemptOutcome.Granted && rounds < 20);
			assertThat(outcome).isInstanceOf(AttemptOutcome.Busy.class);

			writer.withdraw();

			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> this.holder.attempt(KEY, permits) instanceof AttemptOutcome.Granted);
		}
	}

	private Sleeper sleeper(int permits) {
		return new Sleeper(this.waiter.connection(), JdbcTestClient.group(KEY, permits), permits);
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
