package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.InvalidLockRequestException;

/**
 * Chooses the dialect by the server, independently of the driver.
 */
final class DialectResolver {

	private static final Logger logger = LoggerFactory.getLogger(DialectResolver.class);

	// Such as '10.6.4-MariaDB', also with the prefix '5.5.5-' for old clients.
	private static final Pattern MARIADB_VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+-MariaDB",
			Pattern.CASE_INSENSITIVE);

	private DialectResolver() {
	}

	/**
	 * Choose the dialect.
	 * @param platform the configured one, or {@code null} to ask the database
	 * @param connection a connection to the database
	 * @return the dialect
	 * @throws SQLException if the database does not answer
	 */
	static Dialect resolve(@Nullable String platform, Connection connection) throws SQLException {
		if (platform != null) {
			return named(platform);
		}
		DatabaseMetaData database = connection.getMetaData();
		String product = database.getDatabaseProductName();
		return switch (product) {
			case "H2" -> Dialect.H2;
			case "PostgreSQL" -> Dialect.POSTGRESQL;
			// MySQL's driver reports every server as MySQL.
			case "MariaDB", "MySQL" -> mysqlOrMariadb(product, database.getDatabaseProductVersion());
			case "Oracle" -> Dialect.ORACLE;
			case "Microsoft SQL Server" -> Dialect.SQLSERVER;
			case "HSQL Database Engine" -> Dialect.PORTABLE;
			default -> unknown(product);
		};
	}

	private static Dialect mysqlOrMariadb(String product, String version) {
		Matcher number = MARIADB_VERSION.matcher(version);
		if (number.find()) {
			int major = Integer.parseInt(number.group(1));
			int minor = Integer.parseInt(number.group(2));
			return (major > 10 || (major == 10 && minor >= 5)) ? Dialect.MARIADB : Dialect.MYSQL;
		}
		return (product.equals("MariaDB") || version.toLowerCase(Locale.ROOT).contains("mariadb")) ? Dialect.MARIADB
				: Dialect.MYSQL;
	}

	private static Dialect unknown(String product) {
		logger.warn("Locks in a database of the kind '{}' use standard SQL, which was not tested with it;"
				+ " lock.jdbc.platform may name another dialect that it understands: {}", product, platforms());
		return Dialect.PORTABLE;
	}

	private static Dialect named(String platform) {
		return Arrays.stream(Dialect.values())
			.filter((dialect) -> dialect.platform().equalsIgnoreCase(platform))
			.findFirst()
			.orElseThrow(() -> new InvalidLockRequestException(
					"There is no SQL dialect '" + platform + "' (lock.jdbc.platform), but there are " + platforms()));
	}

	private static String platforms() {
		return Arrays.stream(Dialect.values()).map(Dialect::platform).collect(Collectors.joining(", "));
	}

}
