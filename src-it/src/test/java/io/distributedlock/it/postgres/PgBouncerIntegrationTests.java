package io.distributedlock.it.postgres;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.PGConnection;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcUtils;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.engine.EngineConnection;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.process.RequiresProgram;
import io.distributedlock.it.rights.FullCycle;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application behind a pgbouncer.
 */
@FurtherTopology
@RequiresProgram(value = "pgbouncer", debianPackage = "pgbouncer")
@ExtendWith(OutputCaptureExtension.class)
class PgBouncerIntegrationTests {

	private static final String FOUND = "There is a proxy, such as pgbouncer, in front of the database of the locks";

	@Test
	void transactionModeServesLocksWithTheDefaultsOfTheDriver(CapturedOutput output) {
		try (PgBouncer bouncer = PgBouncer.start("transaction"); HikariDataSource pool = bouncer.pool(10)) {
			start(pool, (context) -> {
				assertThat(context).hasNotFailed();
				// The driver names a statement that it executes for the fifth time.
				for (int i = 0; i < 10; i++) {
					FullCycle.run(context);
				}
				assertThat(wakes(context)).isFalse();
				// The first check passes, because the time is too short to repeat one.
			}, "lock.startup-timeout=100ms");
			assertThat(output).contains(FOUND);
		}
	}

	@Test
	void connectionsAreGivenBackAsTheyWere() throws SQLException {
		try (PgBouncer bouncer = PgBouncer.start("transaction"); HikariDataSource pool = bouncer.pool(4)) {
			start(pool, (context) -> context.getBean(LockTemplate.class).execute("order:42", (lease) -> 1));

			for (int i = 0; i < 4; i++) {
				Connection connection = pool.getConnection();
				assertThat(connection.unwrap(PGConnection.class).getPrepareThreshold()).isEqualTo(5);
			}
		}
	}

	@Test
	void sessionModeServesLocksAndWakesWaiters(CapturedOutput output) {
		try (PgBouncer bouncer = PgBouncer.start("session"); HikariDataSource pool = bouncer.pool(5)) {
			start(pool, (context) -> {
				assertThat(context).hasNotFailed();
				FullCycle.run(context);
				assertThat(wakes(context)).isTrue();
			});
			assertThat(output).contains(FOUND);
		}
	}

	@Test
	void statementModeServesLocks() {
		try (PgBouncer bouncer = PgBouncer.start("statement"); HikariDataSource pool = bouncer.pool(10)) {
			start(pool, (context) -> {
				assertThat(context).hasNotFailed();
				for (int i = 0; i < 10; i++) {
					FullCycle.run(context);
				}
				assertThat(context.getBean(LockTemplate.class)
					.execute(LockRequest.of(List.of("order:1", "order:2")), Lease::keys)).hasSize(2);
			});
		}
	}

	@Test
	void statementsOfDirectConnectionsKeepTheirNames() {
		try (HikariDataSource pool = PostgresServer.pool(1); HikariDataSource locks = PostgresServer.pool(10)) {
			start(locks, (context) -> {
				for (int i = 0; i < 10; i++) {
					FullCycle.run(context);
				}
			});

			assertThat(named(locks)).isPositive();
			assertThat(named(pool)).isZero();
		}
	}

	/**
	 * Return the number of the locks' statements that have a name on a connection of a
	 * pool.
	 */
	private static long named(HikariDataSource pool) {
		long most = 0;
		List<Connection> connections = new ArrayList<>();
		try {
			for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
				Connection connection = pool.getConnection();
				connections.add(connection);
				Long named = new JdbcTemplate(new SingleConnectionDataSource(connection, true)).queryForObject(
						"SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%distributed_lock%'",
						Long.class);
				most = Math.max(most, named);
			}
			return most;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			connections.forEach(JdbcUtils::closeConnection);
		}
	}

	@Test
	void proxyThatIsNotFoundIsNamedWithWhatToSet() {
		try (PgBouncer bouncer = PgBouncer.start("transaction"); HikariDataSource pool = bouncer.pool(10)) {
			start(new OpaqueDataSource(pool), (context) -> assertThat(Stream.generate(() -> FullCycle.failures(context))
				.flatMap((failures) -> failures.values().stream())
				.map(String::valueOf)
				.filter((failure) -> failure.contains("prepareThreshold"))
				.findFirst()
				.orElseThrow())
				.startsWith(LockUnavailableException.class.getName()
						+ ": The database has another prepared statement than the driver expects. If a proxy,"
						+ " such as pgbouncer, shares connections between transactions, add"
						+ " 'prepareThreshold=0' to the JDBC URL. The database says: ERROR: prepared statement"),
					"lock.startup-check=none");
		}
	}

	private static boolean wakes(AssertableApplicationContext context) {
		return EngineConnection.of(context.getBean(LockEngine.class))
			.wakesContenders(LockTarget.exclusive("order:42"))
			.toCompletableFuture()
			.join();
	}

	private static void start(DataSource pool, ContextConsumer<AssertableApplicationContext> work,
			String... properties) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(DataSource.class, () -> pool, (definition) -> definition.setDestroyMethodName(""))
			.withPropertyValues("lock.backend=jdbc", "lock.jdbc.initialize-schema=always")
			.withPropertyValues(properties)
			.run(work);
	}

	/**
	 * Returns connections that can't be unwrapped.
	 */
	private static final class OpaqueDataSource extends DelegatingDataSource {

		OpaqueDataSource(DataSource pool) {
			super(pool);
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, arguments) -> {
						try {
							return method.getName().equals("isWrapperFor") ? false
									: method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
