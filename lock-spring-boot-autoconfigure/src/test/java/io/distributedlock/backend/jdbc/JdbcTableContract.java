package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tables that were created by hand, on any database.
 */
public abstract class JdbcTableContract {

	private static final String TABLE = "hand_made";

	private static final String KEY = "order:42";

	private static final Pattern ALTER = Pattern.compile("ALTER TABLE [^']+");

	private final JdbcTestDatabase database = database();

	private final JdbcLockSettings settings = this.database.settings(TABLE);

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	@AfterEach
	void drop() throws SQLException {
		execute("DROP TABLE IF EXISTS " + TABLE);
		execute("DROP TABLE IF EXISTS " + this.settings.readerTable());
	}

	@Test
	void missingColumnIsNamedWithTheStatementThatAddsIt() throws SQLException {
		this.database.createTables(this.settings);
		execute("ALTER TABLE " + TABLE + " DROP COLUMN format");
		try (JdbcTestClient client = client()) {
			String message = refusal(client);
			assertThat(message).contains("'hand_made'", "'format' is missing");
			Matcher alter = ALTER.matcher(message);
			assertThat(alter.find()).isTrue();

			execute(alter.group());

			client.release(client.acquire(KEY));
		}
	}

	@Test
	void timesThatDependOnTheZoneOfTheSessionAreRefusedByEveryCall() {
		boolean mysql = type("").startsWith("DATETIME");
		createTables(mysql ? "TIMESTAMP(6) NULL" : "TIMESTAMP");
		try (JdbcTestClient client = client()) {
			assertThat(refusal(client)).contains("'hand_made'", "'expires_at' has the type timestamp",
					"'acquired_at' has the type timestamp",
					"instead of " + type("") + ", which depends on the session's zone");
			LeaseGrant grant = new LeaseGrant(LockTarget.exclusive(KEY), OwnerId.random(), new TokenRange(1, 1), 0);
			assertThat(client.renew(grant, JdbcTestClient.TTL)).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
					(unknown) -> assertThat(unknown.cause()).isInstanceOf(LockRefusedException.class));
			assertThatThrownBy(() -> client.release(grant)).hasCauseInstanceOf(LockRefusedException.class);
			assertThatThrownBy(() -> client.abandon(grant.target(), grant.ownerId()))
				.hasCauseInstanceOf(LockRefusedException.class);
			assertThatThrownBy(() -> JdbcTestClient.await(client.connection().find(KEY)))
				.hasCauseInstanceOf(LockRefusedException.class);
			assertThatThrownBy(() -> JdbcTestClient.await(client.connection().forceRelease(KEY, Duration.ZERO)))
				.hasCauseInstanceOf(LockRefusedException.class);
		}
	}

	@Test
	void timesWithoutFractionsOfSecondsAreRefused() {
		assumeThat(this.database.platform()).isNotEqualTo("portable");
		createTables(type("0"));
		try (JdbcTestClient client = client()) {
			assertThat(refusal(client)).contains("'expires_at' has the type",
					"instead of " + type("") + ", without fractions of seconds");
		}
	}

	@Test
	void timesInMillisecondsAreUsed() {
		createTables(type("3"));
		try (JdbcTestClient client = client()) {
			client.release(client.acquire(KEY));
		}
	}

	@Test
	void tableThatIsCreatedLaterIsUsed() {
		try (JdbcTestClient client = client()) {
			assertThat(client.attempt(KEY)).isInstanceOf(AttemptOutcome.Unavailable.class);

			this.database.createTables(this.settings);

			client.release(client.acquire(KEY));
		}
	}

	@Test
	void columnsThatSomebodyHasAddedDoNotMatter() throws SQLException {
		this.database.createTables(this.settings);
		execute("ALTER TABLE " + TABLE + " ADD remark VARCHAR(10)");
		try (JdbcTestClient client = client()) {
			client.release(client.acquire(KEY));
		}
	}

	@Test
	void withoutTheTableOfMembersOnlySharedLeasesAndPermitsAreRefused() throws SQLException {
		this.database.createTables(this.settings);
		execute("DROP TABLE " + this.settings.readerTable());
		try (JdbcTestClient client = client()) {
			LeaseGrant grant = client.acquire(KEY);
			assertThat(client.renew(grant, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(client.attempt(KEY, client.waiting())).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(JdbcTestClient.await(client.connection().find(KEY))).isPresent();
			assertThat(JdbcTestClient.await(client.connection().list(null, 10)).locks()).hasSize(1);
			assertThat(client.release(grant)).isTrue();
			client.acquire(KEY);
			assertThat(JdbcTestClient.await(client.connection().forceRelease(KEY, Duration.ZERO))).isTrue();
			assertThat(JdbcTestClient.await(client.connection().forceRelease(KEY, Duration.ZERO))).isFalse();
			assertThat(JdbcTestClient.await(client.connection().find(KEY))).isEmpty();

			for (int permits : new int[] { 0, 3 }) {
				assertThat(refusal(client, permits))
					.startsWith("The table of shared leases 'hand_made_reader' is not there."
							+ " Set lock.jdbc.initialize-schema")
					.contains("CREATE TABLE", "hand_made_reader");
			}
			client.release(client.acquire(KEY));

			this.database.createTables(this.settings);

			client.release(client.enter(KEY, 0));
			client.release(client.enter(KEY, 3));
		}
	}

	@Test
	void timesOfMembersThatDependOnTheZoneOfTheSessionAreRefused() throws SQLException {
		this.database.createTables(this.settings);
		execute("DROP TABLE " + this.settings.readerTable());
		createTables(type("").startsWith("DATETIME") ? "TIMESTAMP(6) NULL" : "TIMESTAMP");
		try (JdbcTestClient client = client()) {
			assertThat(refusal(client, 0)).contains("The table of shared leases 'hand_made_reader'",
					"'expires_at' has the type timestamp",
					"instead of " + type("") + ", which depends on the session's zone");
			client.release(client.acquire(KEY));
		}
	}

	@Test
	void missingColumnOfMembersIsNamedWithTheStatementThatAddsIt() throws SQLException {
		this.database.createTables(this.settings);
		execute("ALTER TABLE " + this.settings.readerTable() + " DROP COLUMN instance");
		try (JdbcTestClient client = client()) {
			Matcher alter = ALTER.matcher(refusal(client, 2));
			assertThat(alter.find()).isTrue();

			execute(alter.group());

			client.release(client.enter(KEY, 2));
		}
	}

	private JdbcTestClient client() {
		return new JdbcTestClient(this.database.dataSource(), this.settings);
	}

	private static String refusal(JdbcTestClient client) {
		return refusal(client.attempt(KEY));
	}

	private static String refusal(JdbcTestClient client, int permits) {
		return refusal(client.attempt(KEY, permits));
	}

	private static String refusal(AttemptOutcome outcome) {
		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class, (unavailable) -> {
			assertThat(unavailable.cause()).isExactlyInstanceOf(LockRefusedException.class);
			assertThat(unavailable.sent()).isFalse();
		});
		return ((AttemptOutcome.Unavailable) outcome).cause()
			.getMessage()
			.replaceAll("(?i)type timestamp(\\(\\d\\))?", "type timestamp");
	}

	private String type(String digits) {
		String fraction = digits.isEmpty() ? "" : "(" + digits + ")";
		return switch (this.database.platform()) {
			case "postgresql" -> "TIMESTAMPTZ" + fraction;
			case "mariadb", "mysql" -> "DATETIME" + (digits.isEmpty() ? "(6)" : fraction);
			default -> "TIMESTAMP" + (digits.isEmpty() ? "(6)" : fraction) + " WITH TIME ZONE";
		};
	}

	private void createTables(String type) {
		String ddl = JdbcLockSchema.ddl(this.database.platform(), this.settings)
			.replace(type("") + " NOT NULL", type.replace(" NULL", "") + " NOT NULL")
			.replaceAll(Pattern.quote(type("")) + "(?=,)", Matcher.quoteReplacement(type));
		new ResourceDatabasePopulator(new ByteArrayResource(ddl.getBytes())).execute(this.database.dataSource());
	}

	protected final JdbcLockSettings handMade() {
		return this.settings;
	}

	protected final void execute(String sql) throws SQLException {
		try (Connection connection = this.database.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
