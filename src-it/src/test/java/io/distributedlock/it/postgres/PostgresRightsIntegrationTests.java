package io.distributedlock.it.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.LockRefusedException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What a user of PostgreSQL has to be allowed.
 */
@ExtendWith(OutputCaptureExtension.class)
class PostgresRightsIntegrationTests {

	private static final String KEY = "order:42";

	private static final LockTarget TARGET = LockTarget.exclusive(KEY);

	private final JdbcTestDatabase database = PostgresServer.database();

	private HikariDataSource pool;

	private JdbcTestClient client;

	@BeforeEach
	void start() throws SQLException {
		this.database.createTables(this.database.settings());
		this.database.clear();
		execute("CREATE ROLE lock_user LOGIN");
		execute("GRANT SELECT, INSERT, UPDATE, DELETE ON distributed_lock TO lock_user");
		this.pool = new HikariDataSource();
		this.pool.setJdbcUrl(PostgresServer.url().replace("user=postgres", "user=lock_user"));
		this.pool.setMaximumPoolSize(6);
		this.client = new JdbcTestClient(this.pool, this.database.settings());
	}

	@AfterEach
	void stop() throws SQLException {
		this.client.close();
		this.pool.close();
		execute("DROP OWNED BY lock_user");
		execute("DROP ROLE lock_user");
	}

	@Test
	void rightsOfTheDocumentationAreEnough() {
		LeaseGrant grant = this.client.acquire(KEY);
		Sleeper sleeper = new Sleeper(this.client.backend(), KEY).asleep();

		assertThat(JdbcTestClient.await(this.client.backend().wakesContenders(TARGET))).isTrue();
		assertThat(this.client.renew(grant, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(JdbcTestClient.await(this.client.backend().find(KEY))).isPresent();
		assertThat(this.client.release(grant)).isTrue();
		sleeper.untilGranted();
		assertThat(JdbcTestClient.await(this.client.backend().forceRelease(KEY, Duration.ZERO))).isTrue();
		this.client.abandon(TARGET, grant.ownerId());
		assertThat(JdbcTestClient.await(this.client.backend().list())).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "SELECT", "INSERT", "UPDATE" })
	void attemptIsRefusedByNameWithoutEachOfItsRights(String right) throws SQLException {
		execute("REVOKE " + right + " ON distributed_lock FROM lock_user");

		assertThat(this.client.attempt(KEY)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
			assertThat(unavailable.sent()).isFalse();
			assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class)
				.hasMessageContaining("'lock_user'")
				.hasMessageContaining("'distributed_lock'")
				.hasMessageContaining("SELECT, INSERT and UPDATE");
		});
	}

	@Test
	void startLeavesOneRowThatNobodyHolds() {
		start((context) -> assertThat(context).hasNotFailed());

		assertThat(new JdbcTemplate(this.pool).queryForList("SELECT owner FROM distributed_lock", String.class))
			.containsExactly((String) null);
	}

	@Test
	void startWithoutARightNamesTheStepAndTheRight() throws SQLException {
		execute("REVOKE UPDATE ON distributed_lock FROM lock_user");

		start((context) -> assertThat(context).getFailure()
			.hasStackTraceContaining("The store 'jdbc' can't keep the locks: It failed at taking a lock")
			.hasStackTraceContaining("'lock_user'")
			.hasStackTraceContaining("SELECT, INSERT and UPDATE"));
	}

	private void start(ContextConsumer<AssertableApplicationContext> work) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(DataSource.class, () -> this.pool, (definition) -> definition.setDestroyMethodName(""))
			.run(work);
	}

	@Test
	void leaseOfAUserWhoMayNoLongerUpdateIsRefusedAndNotReleased() throws SQLException {
		LeaseGrant grant = this.client.acquire(KEY);
		execute("REVOKE UPDATE ON distributed_lock FROM lock_user");

		assertThatThrownBy(() -> this.client.release(grant)).hasCauseInstanceOf(LockRefusedException.class)
			.hasMessageContaining("SELECT and UPDATE");
		assertThat(this.client.renew(grant, JdbcTestClient.TTL)).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
				(unknown) -> assertThat(unknown.cause()).isInstanceOf(LockRefusedException.class));
		assertThatThrownBy(() -> this.client.abandon(TARGET, grant.ownerId()))
			.hasCauseInstanceOf(LockRefusedException.class);
		assertThatThrownBy(() -> JdbcTestClient.await(this.client.backend().forceRelease(KEY, Duration.ZERO)))
			.hasCauseInstanceOf(LockRefusedException.class);
		assertThat(this.database.hasRow(KEY, "owner IS NOT NULL")).isTrue();
	}

	@Test
	void releasesOfABatchAreRefused() throws SQLException {
		List<LeaseGrant> grants = List.of(this.client.acquire("a"), this.client.acquire("b"), this.client.acquire("c"));
		execute("REVOKE UPDATE ON distributed_lock FROM lock_user");

		assertThat(grants.stream().map((grant) -> this.client.backend().release(grant, Duration.ZERO)).toList())
			.allSatisfy((released) -> assertThatThrownBy(() -> JdbcTestClient.await(released))
				.hasCauseInstanceOf(LockRefusedException.class));
	}

	@Test
	void whoMayNotSelectCanNotLook() throws SQLException {
		execute("REVOKE SELECT ON distributed_lock FROM lock_user");

		assertThatThrownBy(() -> JdbcTestClient.await(this.client.backend().find(KEY)))
			.hasCauseInstanceOf(LockRefusedException.class)
			.hasMessageContaining("needs SELECT on the table");
	}

	@Test
	void missingColumnIsRefused() throws SQLException {
		execute("CREATE TABLE elder_lock AS SELECT lock_key, owner, token FROM distributed_lock");
		JdbcLockSettings settings = this.database.settings("elder_lock", Duration.ofSeconds(10));
		try (JdbcTestClient elder = new JdbcTestClient(this.database.dataSource(), settings)) {
			assertThat(elder.attempt(KEY)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class)
						.hasMessageContaining("'elder_lock'")
						.hasMessageContaining("instance"));
		}
		finally {
			execute("DROP TABLE elder_lock");
		}
	}

	@Test
	void whoMayNotDeleteLocksAllTheSameAndTheLogSaysThatRowsStay(CapturedOutput output) throws SQLException {
		execute("REVOKE DELETE ON distributed_lock FROM lock_user");
		JdbcLockSettings settings = this.database.settings();
		JdbcLockSettings forgetful = new JdbcLockSettings(settings.keyPrefix(), settings.instanceId(), settings.table(),
				settings.callTimeout(), Duration.ofSeconds(1), null);
		this.client.release(this.client.acquire(KEY));

		try (JdbcTestClient other = new JdbcTestClient(this.pool, forgetful)) {
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.until(() -> output.getAll().contains("needs SELECT and DELETE on the table 'distributed_lock'"));
			other.release(other.acquire(KEY));
		}
	}

	private void execute(String sql) throws SQLException {
		try (Connection connection = this.database.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
