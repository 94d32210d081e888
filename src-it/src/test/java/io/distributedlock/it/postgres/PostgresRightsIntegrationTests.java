package io.distributedlock.it.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.jdbc.JdbcRightsContract;
import io.distributedlock.it.rights.FullCycle;
import io.distributedlock.it.rights.StartFailure;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The rights that a user of PostgreSQL needs.
 */
class PostgresRightsIntegrationTests extends JdbcRightsContract {

	private static final String KEY = "order:42";

	private static final LockTarget TARGET = LockTarget.exclusive(KEY);

	private JdbcTestClient client;

	@BeforeEach
	void connect() {
		this.client = new JdbcTestClient(pool(), database().settings());
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Override
	protected JdbcTestDatabase database() {
		return PostgresServer.database();
	}

	@Override
	protected String url() {
		return PostgresServer.url().replace("user=postgres", "user=locks&password=secret");
	}

	@Override
	protected String grantee() {
		return "locks";
	}

	@Override
	protected String named() {
		return "locks";
	}

	@Override
	protected List<String> dropUser() {
		return List.of("DROP OWNED BY locks", "DROP ROLE locks");
	}

	@Override
	protected String denied(String right, String table) {
		return "ERROR: permission denied for table " + table;
	}

	@Override
	protected String notCreated() {
		return "The table of locks 'made_lock' is not there. Set lock.jdbc.initialize-schema=always, for which the user"
				+ " 'locks' needs the right to create tables, or run this once:";
	}

	@Test
	void tableInAnotherSchemaNeedsTheRightToUseThat() throws SQLException {
		execute("CREATE SCHEMA kept");
		try {
			database().createTables(database().settings("kept.distributed_lock", Duration.ofSeconds(10)));
			execute("GRANT SELECT, INSERT, UPDATE, DELETE ON kept.distributed_lock TO locks");
			start((context) -> assertThat(StartFailure.description(context)).startsWith(
					"The store 'jdbc' can't keep the locks: It failed at taking a lock: The database does not let"
							+ " the user 'locks' take a lock, which needs SELECT, INSERT and UPDATE on the table"
							+ " 'kept.distributed_lock': ERROR: permission denied for schema kept"),
					"lock.jdbc.table=kept.distributed_lock");

			execute("GRANT USAGE ON SCHEMA kept TO locks");

			start((context) -> {
				assertThat(context).hasNotFailed();
				FullCycle.run(context);
			}, "lock.jdbc.table=kept.distributed_lock");
		}
		finally {
			execute("DROP SCHEMA kept CASCADE");
		}
	}

	@Test
	void usersWithOtherSearchPathsLockInOtherTablesAndTheLogSaysWhichOneItIs(CapturedOutput output)
			throws SQLException {
		execute("CREATE SCHEMA kept");
		try (HikariDataSource elsewhere = new HikariDataSource()) {
			elsewhere.setJdbcUrl(PostgresServer.url() + "&currentSchema=kept");
			database().createTables(database().settings("kept.distributed_lock", Duration.ofSeconds(10)));

			try (JdbcTestClient other = new JdbcTestClient(elsewhere, database().settings())) {
				this.client.acquire(KEY);
				other.acquire(KEY);
			}

			assertThat(output).contains("The table of locks is 'public.distributed_lock'")
				.contains("The table of locks is 'kept.distributed_lock'");
		}
		finally {
			execute("DROP SCHEMA kept CASCADE");
		}
	}

	@Test
	void startLeavesUnheldRowsOfItsCheckAndTheTokenEpoch() {
		start((context) -> assertThat(context).hasNotFailed());

		assertThat(new JdbcTemplate(pool()).queryForList("SELECT owner FROM distributed_lock", String.class))
			.containsExactly(null, null);
	}

	@Test
	void leaseOfAUserWhoMayNoLongerUpdateIsRefusedAndNotReleased() throws SQLException {
		LeaseGrant grant = this.client.acquire(KEY);
		execute("REVOKE UPDATE ON distributed_lock FROM locks");

		assertThatThrownBy(() -> this.client.release(grant)).hasCauseInstanceOf(LockRefusedException.class)
			.hasMessageContaining("SELECT and UPDATE");
		assertThat(this.client.renew(grant, JdbcTestClient.TTL)).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
				(unknown) -> assertThat(unknown.cause()).isInstanceOf(LockRefusedException.class));
		assertThatThrownBy(() -> this.client.abandon(TARGET, grant.ownerId()))
			.hasCauseInstanceOf(LockRefusedException.class);
		assertThatThrownBy(() -> JdbcTestClient.await(this.client.connection().forceRelease(KEY, Duration.ZERO)))
			.hasCauseInstanceOf(LockRefusedException.class);
		assertThat(database().hasRow(KEY, "owner IS NOT NULL")).isTrue();
	}

	@Test
	void releasesOfABatchAreRefused() throws SQLException {
		List<LeaseGrant> grants = List.of(this.client.acquire("a"), this.client.acquire("b"), this.client.acquire("c"));
		execute("REVOKE UPDATE ON distributed_lock FROM locks");

		assertThat(grants.stream().map((grant) -> this.client.connection().release(grant, Duration.ZERO)).toList())
			.allSatisfy((released) -> assertThatThrownBy(() -> JdbcTestClient.await(released))
				.hasCauseInstanceOf(LockRefusedException.class));
	}

	@Test
	void whoMayNotSelectCanNotLook() throws SQLException {
		execute("REVOKE SELECT ON distributed_lock FROM locks");

		assertThatThrownBy(() -> JdbcTestClient.await(this.client.connection().find(KEY)))
			.hasCauseInstanceOf(LockRefusedException.class)
			.hasMessageContaining("needs SELECT on the table");
	}

	@Test
	void missingColumnIsRefused() throws SQLException {
		execute("CREATE TABLE elder_lock AS SELECT lock_key, owner, token FROM distributed_lock");
		JdbcLockSettings settings = database().settings("elder_lock", Duration.ofSeconds(10));
		try (JdbcTestClient elder = new JdbcTestClient(database().dataSource(), settings)) {
			assertThat(elder.attempt(KEY)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class)
						.hasMessageContaining("'elder_lock'")
						.hasMessageContaining("instance"));
		}
		finally {
			execute("DROP TABLE elder_lock");
		}
	}

}
