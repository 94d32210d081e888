package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;

/**
 * The databases whose SQL is known. Each has a folder with the statements that are its
 * own; all others come from {@code common} and are put together from its words.
 */
@SuppressWarnings("ImmutableEnumChecker") // a record of strings, and a set that never
											// leaves
enum Dialect {

	/**
	 * H2 from 2.0 on. Interrupts of a thread that uses it may close its file.
	 */
	H2(KeyForm.BINARY,
			new SqlWords("CURRENT_TIMESTAMP(6)", "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)",
					"DATEADD(MILLISECOND, %1$s, CURRENT_TIMESTAMP(6))",
					"CEIL(DATEDIFF(MICROSECOND, %1$s, %2$s) / 1000.0)")),

	/**
	 * PostgreSQL from 10 on.
	 */
	POSTGRESQL(KeyForm.TEXT,
			new SqlWords("clock_timestamp()", "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
					"clock_timestamp() + %1$s * INTERVAL '1 millisecond'",
					"CAST(ceil(extract(epoch FROM (%2$s - %1$s)) * 1000) AS BIGINT)"),
			Trait.NETWORK, Trait.QUERY_TIMEOUT, Trait.ARRAYS, Trait.NOTIFICATIONS);

	/**
	 * What a database can do besides.
	 */
	enum Trait {

		/**
		 * It is reached over a network, whose time-outs can be set.
		 */
		NETWORK,

		/**
		 * It can be told at no cost to give a statement up.
		 */
		QUERY_TIMEOUT,

		/**
		 * It takes arrays, and returns the rows that an update has changed.
		 */
		ARRAYS,

		/**
		 * It notifies those who listen of releases, in the statement that releases.
		 */
		NOTIFICATIONS

	}

	private final KeyForm keyForm;

	private final SqlWords words;

	private final Set<Trait> traits;

	Dialect(KeyForm keyForm, SqlWords words, Trait... traits) {
		this.keyForm = keyForm;
		this.words = words;
		this.traits = EnumSet.noneOf(Trait.class);
		this.traits.addAll(Arrays.asList(traits));
	}

	KeyForm keyForm() {
		return this.keyForm;
	}

	SqlWords words() {
		return this.words;
	}

	boolean has(Trait trait) {
		return this.traits.contains(trait);
	}

	/**
	 * Return the name by which scripts and settings know this dialect.
	 * @return the name
	 */
	String platform() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Choose the dialect.
	 * @param platform the configured one, or {@code null} to ask the database
	 * @param connection a connection to the database
	 * @return the dialect
	 * @throws SQLException if the database does not answer
	 */
	static Dialect of(@Nullable String platform, Connection connection) throws SQLException {
		if (platform != null) {
			return named(platform);
		}
		DatabaseMetaData database = connection.getMetaData();
		return switch (database.getDatabaseProductName()) {
			case "H2" -> H2;
			case "PostgreSQL" -> POSTGRESQL;
			default -> throw new InvalidLockRequestException("Locks in a database of the kind '"
					+ database.getDatabaseProductName() + "' are not supported; lock.jdbc.platform may name one of "
					+ platforms() + " whose SQL it understands");
		};
	}

	private static Dialect named(String platform) {
		return Arrays.stream(values())
			.filter((dialect) -> dialect.platform().equalsIgnoreCase(platform))
			.findFirst()
			.orElseThrow(() -> new InvalidLockRequestException(
					"There is no SQL dialect '" + platform + "' (lock.jdbc.platform), but there are " + platforms()));
	}

	private static String platforms() {
		return Arrays.stream(values()).map(Dialect::platform).collect(Collectors.joining(", "));
	}

}
