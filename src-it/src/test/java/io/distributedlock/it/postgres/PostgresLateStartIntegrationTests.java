package io.distributedlock.it.postgres;

import java.time.Duration;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcTestClient;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application that starts before its database, or whose database is slow at first.
 */
@FurtherTopology
class PostgresLateStartIntegrationTests {

	private static final LockRequest PATIENT = LockRequest.of("order:42").waitTime(Duration.ofSeconds(50));

	private final TcpProxy proxy = TcpProxy.to(PostgresServer.port());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + url(), "lock.jdbc.table=late_lock", "lock.fail-fast=false",
				"spring.datasource.hikari.connection-timeout=1000");

	@AfterEach
	void close() {
		this.proxy.close();
		PostgresServer.database().update("DROP TABLE IF EXISTS late_lock, late_lock_reader", Map.of());
	}

	private String url() {
		return "jdbc:postgresql://127.0.0.1:" + this.proxy.port() + "/postgres?user=postgres";
	}

	@ParameterizedTest
	// The other value is that of a pool that connects only when a connection is borrowed.
	@ValueSource(ints = { 1, -1 })
	void tablesAreCreatedWhenTheDatabaseComes(int failTimeout) {
		this.proxy.cut();
		this.runner
			.withPropertyValues("lock.jdbc.initialize-schema=always",
					"spring.datasource.hikari.initialization-fail-timeout=" + failTimeout)
			.run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> template.tryAcquire("order:42"));

				this.proxy.restore();

				template.acquire(PATIENT).close();
			});
	}

	@Test
	void defaultSettingsStartWithoutTheDatabase() {
		this.proxy.cut();
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			this.proxy.restore();
			new JdbcTestDatabase("postgresql", context.getBean(HikariDataSource.class))
				.createTables(PostgresServer.database().settings("late_lock", Duration.ofSeconds(10)));

			context.getBean(LockTemplate.class).acquire(PATIENT).close();
		});
	}

	@Test
	void databaseThatIsAwayEndsTheStartUnlessThatIsAllowed() {
		this.proxy.cut();
		this.runner.withPropertyValues("lock.jdbc.initialize-schema=always", "lock.fail-fast=true")
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void firstConnectionThatTakesLongerThanACallServesLaterCalls() {
		JdbcTestDatabase database = PostgresServer.database();
		JdbcLockSettings settings = database.settings("late_lock", Duration.ofMillis(500));
		database.createTables(settings);
		this.proxy.delay(Duration.ofSeconds(1));
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(url());
			pool.setMaximumPoolSize(6);
			pool.setMinimumIdle(0);
			try (JdbcTestClient client = new JdbcTestClient(pool, settings)) {
				assertThat(client.attempt("order:42")).isInstanceOf(AttemptOutcome.Unavailable.class);

				Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> isConnected(pool));
				this.proxy.delay(Duration.ZERO);

				Awaitility.await()
					.atMost(Duration.ofMinutes(1))
					.until(() -> client.attempt("order:43") instanceof AttemptOutcome.Granted);
			}
		}
	}

	private static boolean isConnected(HikariDataSource pool) {
		return pool.getHikariPoolMXBean() != null && pool.getHikariPoolMXBean().getTotalConnections() > 0;
	}

}
