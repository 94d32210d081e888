package io.distributedlock.it.jdbc;

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
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.LockRefusedException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.fencing.FenceTable;
import io.distributedlock.fencing.JdbcFencingGuard;
import io.distributedlock.it.rights.FullCycle;
import io.distributedlock.it.rights.ReferenceBlock;
import io.distributedlock.it.rights.StartFailure;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The rights of a database user that the reference lists are sufficient, and each of them
 * is necessary.
 */
@ExtendWith(OutputCaptureExtension.class)
public abstract class JdbcRightsContract {

	private JdbcTestDatabase database;

	private HikariDataSource pool;

	/**
	 * Return the database with the rights of its administrator.
	 */
	protected abstract JdbcTestDatabase database();

	/**
	 * Return the URL for the user {@code locks} with its password.
	 */
	protected abstract String url();

	/**
	 * Return the name of the user in the reference's statements.
	 */
	protected abstract String grantee();

	/**
	 * Return the name of the user in messages.
	 */
	protected abstract String named();

	/**
	 * Return the statements that drop the user and all that it owns.
	 */
	protected abstract List<String> dropUser();

	/**
	 * Return the message of the database if a right on a table is missing.
	 */
	protected abstract String denied(String right, String table);

	/**
	 * Return the beginning of the message if the start fails because the table
	 * {@code made_lock} can't be created.
	 */
	protected abstract String notCreated();

	private String block(String suffix) {
		return "rights-" + this.database.platform() + suffix;
	}

	@BeforeEach
	protected void start() throws SQLException {
		this.database = database();
		this.database.createTables(this.database.settings());
		this.database.clear();
		runBlock("");
		this.pool = new HikariDataSource();
		this.pool.setJdbcUrl(url());
		this.pool.setMaximumPoolSize(6);
	}

	@AfterEach
	protected void stop() throws SQLException {
		this.pool.close();
		for (String statement : dropUser()) {
			execute(statement);
		}
	}

	protected HikariDataSource pool() {
		return this.pool;
	}

	@Test
	void rightsOfTheReferenceAreEnough() {
		start((context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runSeveralKeys(context);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "SELECT", "INSERT", "UPDATE" })
	void startWithOneRightLessNamesTheStepTheUserTheTableAndTheRights(String right) throws SQLException {
		revoke(right, "distributed_lock");

		start((context) -> assertThat(StartFailure.description(context)).startsWith(
				"The store 'jdbc' can't keep the locks: It failed at taking a lock: The database does not let the user '"
						+ named() + "' take a lock, which needs SELECT, INSERT and UPDATE on the table"
						+ " 'distributed_lock': ")
			.contains(denied(right, "distributed_lock")));
	}

	@Test
	void rowsStayWithoutTheRightToDeleteAndTheLogSaysSo(CapturedOutput output) throws SQLException {
		revoke("DELETE", "distributed_lock");

		JdbcLockSettings settings = this.database.settings();
		JdbcLockSettings forgetful = JdbcTestDatabase.settings(settings.keyPrefix(), settings.instanceId(),
				settings.table(), settings.callTimeout(), Duration.ofSeconds(1), null);

		try (JdbcTestClient client = new JdbcTestClient(this.pool, forgetful)) {
			client.release(client.acquire("order:42"));
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(output)
					.contains("Rows of unused locks stay in the table:" + " The database does not let the user '"
							+ named() + "' delete the rows of unused locks, which needs SELECT and DELETE on the table"
							+ " 'distributed_lock': ", denied("DELETE", "distributed_lock")));
		}
		start((context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runSeveralKeys(context);
		});
	}

	@Test
	void rightsOfTheReferenceForGroupsAreEnough() throws SQLException {
		runBlock("-groups");

		start((context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runGroups(context);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "SELECT", "INSERT", "UPDATE", "DELETE" })
	void groupsWithOneRightLessNameTheTablesAndTheRights(String right) throws SQLException {
		runBlock("-groups");
		revoke(right, "distributed_lock_reader");

		try (JdbcTestClient client = new JdbcTestClient(this.pool, this.database.settings())) {
			assertThat(refusal(client)).startsWith("The database does not let the user '" + named() + "' ")
				.contains("a shared lock or a permit, which needs SELECT, ", right)
				.contains(" on the tables 'distributed_lock' and 'distributed_lock_reader': ",
						denied(right, "distributed_lock_reader"));
			client.release(client.acquire("order:43"));
		}
	}

	@Test
	void withoutRightsForGroupsSharedLocksAndPermitsAreRefused() {
		try (JdbcTestClient client = new JdbcTestClient(this.pool, this.database.settings())) {
			assertThat(refusal(client))
				.contains("take a shared lock or a permit, which needs SELECT, INSERT, UPDATE and"
						+ " DELETE on the tables 'distributed_lock' and 'distributed_lock_reader'");
			client.release(client.acquire("order:43"));
		}
	}

	/**
	 * Take, renew and release a shared lock until a step is refused.
	 */
	private static String refusal(JdbcTestClient client) {
		AttemptOutcome outcome = client.attempt("order:42", 0);
		if (outcome instanceof AttemptOutcome.Unavailable refused) {
			assertThat(refused.cause()).isInstanceOf(LockRefusedException.class);
			return refused.cause().getMessage();
		}
		LeaseGrant grant = ((AttemptOutcome.Granted) outcome).grant();
		if (client.renew(grant, JdbcTestClient.TTL) instanceof RenewalOutcome.Unknown refused) {
			assertThat(refused.cause()).isInstanceOf(LockRefusedException.class);
			return refused.cause().getMessage();
		}
		Throwable refused = catchThrowable(() -> client.release(grant));
		assertThat(refused).hasCauseInstanceOf(LockRefusedException.class);
		return refused.getCause().getMessage();
	}

	@Test
	void tablesAreCreatedWithTheRightsForThat() throws SQLException {
		runBlock("-tables");

		start((context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runGroups(context);
			execute("DROP TABLE made_lock");
			execute("DROP TABLE made_lock_reader");
		}, "lock.jdbc.initialize-schema=always", "lock.jdbc.table=made_lock");
	}

	@Test
	void tablesThatMayNotBeCreatedEndTheStart() {
		start((context) -> assertThat(StartFailure.description(context))
			.startsWith("The store 'jdbc' can't keep the locks: It failed at taking a lock: " + notCreated()),
				"lock.jdbc.initialize-schema=always", "lock.jdbc.table=made_lock");
	}

	@Test
	void rightsOfTheFencingGuardAreEnoughAndNoneOfThemIsTooMuch() throws SQLException {
		execute("DROP TABLE IF EXISTS " + FenceTable.DEFAULT_NAME);
		execute(new FenceTable(FenceTable.DEFAULT_NAME).schema(this.database.platform()));
		runBlock("-guard");
		check();

		for (String right : List.of("SELECT", "INSERT", "UPDATE")) {
			revoke(right, FenceTable.DEFAULT_NAME);
			assertThatThrownBy(this::check).isInstanceOf(IllegalStateException.class)
				.hasMessageStartingWith("The table 'distributed_lock_fence' of fencing tokens can't be used: ")
				.hasMessageContaining(denied(right, FenceTable.DEFAULT_NAME))
				.hasMessageEndingWith(". The user '" + named() + "' needs SELECT, INSERT and UPDATE on it, and "
						+ FenceTable.SCHEMA_LOCATION + " has what creates it");
			runBlock("-guard");
		}
	}

	private void check() {
		JdbcFencingGuard guard = new JdbcFencingGuard(this.pool);
		new TransactionTemplate(new DataSourceTransactionManager(this.pool))
			.executeWithoutResult((status) -> guard.check("order:42", 7));
	}

	protected void start(ContextConsumer<AssertableApplicationContext> work, String... properties) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(DataSource.class, () -> this.pool, (definition) -> definition.setDestroyMethodName(""))
			.withPropertyValues("lock.backend=jdbc", "lock.jdbc.initialize-schema=never")
			.withPropertyValues(properties)
			.run(work);
	}

	private void runBlock(String suffix) throws SQLException {
		for (String statement : ReferenceBlock.lines(block(suffix))) {
			execute(statement);
		}
	}

	private void revoke(String right, String table) throws SQLException {
		execute("REVOKE " + right + " ON " + table + " FROM " + grantee());
	}

	protected void execute(String sql) throws SQLException {
		try (Connection connection = database().dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
