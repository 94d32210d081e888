package io.distributedlock.backend.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.AbstractDataSource;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the choice of a dialect.
 */
@ExtendWith(OutputCaptureExtension.class)
class DialectResolverTests {

	@ParameterizedTest
	@CsvSource({ "H2,2.4,H2", "PostgreSQL,17.5,POSTGRESQL", "MySQL,8.4.2,MYSQL", "MySQL,11.4.5-MariaDB-log,MARIADB",
			"MySQL,5.5.5-10.6.4-MariaDB,MARIADB", "MySQL,5.5.5-10.4.34-MariaDB,MYSQL", "MariaDB,11.4.5-MariaDB,MARIADB",
			"MariaDB,10.5.0-MariaDB-1:10.5,MARIADB", "MariaDB,10.4.3-MariaDB,MYSQL", "MariaDB,12.0,MARIADB",
			"Oracle,23,ORACLE", "Microsoft SQL Server,16.0,SQLSERVER", "HSQL Database Engine,2.7,PORTABLE",
			"Firebird 5,5.0,PORTABLE" })
	void serverDecidesAndNotTheDriver(String product, String version, Dialect dialect) throws Exception {
		assertThat(DialectResolver.resolve(null, connection(product, version))).isEqualTo(dialect);
	}

	@Test
	void settingDecidesFirst() throws Exception {
		assertThat(DialectResolver.resolve("MySQL", connection("MySQL", "11.4.5-MariaDB"))).isEqualTo(Dialect.MYSQL);
	}

	@Test
	void unknownSettingIsRefusedWithThoseThereAre() {
		assertThatExceptionOfType(InvalidLockRequestException.class)
			.isThrownBy(() -> DialectResolver.resolve("db2", connection("DB2/LINUX", "11")))
			.withMessageContaining("'db2' (lock.jdbc.platform)")
			.withMessageContaining("sqlserver, portable");
	}

	@Test
	void unknownDatabaseIsWarnedOfOnce(CapturedOutput output) throws Exception {
		JdbcLockDatabase database = new JdbcLockDatabase(new AbstractDataSource() {

			@Override
			public Connection getConnection() {
				return connection("Firebird 5", "5.0");
			}

			@Override
			public Connection getConnection(String username, String password) {
				return getConnection();
			}

		}, JdbcTestDatabase.settings("", "test", "locks", Duration.ofSeconds(2), Duration.ofHours(1), null),
				TableCreation.NONE, new VirtualLockClock());

		database.borrow().close();
		database.borrow().close();

		assertThat(output).containsOnlyOnce("Locks in a database of the kind 'Firebird 5' use standard SQL");
	}

	private static Connection connection(String product, String version) {
		DatabaseMetaData metaData = proxy(DatabaseMetaData.class, (method) -> switch (method) {
			case "getDatabaseProductName" -> product;
			case "getDatabaseProductVersion" -> version;
			default -> null;
		});
		return proxy(Connection.class, (method) -> switch (method) {
			case "getMetaData" -> metaData;
			case "getAutoCommit" -> true;
			case "isReadOnly" -> false;
			default -> null;
		});
	}

	private static <T> T proxy(Class<T> type, Answer answer) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> answer.to(method.getName())));
	}

	private interface Answer {

		Object to(String method) throws SQLException;

	}

}
