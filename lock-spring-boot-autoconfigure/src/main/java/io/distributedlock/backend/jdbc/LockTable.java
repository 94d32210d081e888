package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import io.distributedlock.backend.KeyPrefix;

/**
 * The table of locks in one kind of database: the statements of its dialect, and how keys
 * are stored.
 *
 * @param dialect the dialect
 * @param settings the settings, which name the tables
 * @param prefix the prefix of the keys
 * @param notices runs the statements that notify
 * @param check checks the columns, once
 * @param behindProxy whether a proxy is between the driver and PostgreSQL
 * @param statements the statements by their names
 */
record LockTable(Dialect dialect, JdbcLockSettings settings, KeyPrefix prefix, ReleaseNotices notices,
		LockTableCheck check, boolean behindProxy, Map<String, SqlStatement> statements) {

	private static final List<String> NAMES = List.of("abandon", "find", "force-release", "forget", "list", "mark",
			"release", "renew", "standing", "state", "unused", "wanted");

	LockTable(Dialect dialect, JdbcLockSettings settings, ReleaseNotices notices, boolean behindProxy) {
		this(dialect, settings, new KeyPrefix(settings.keyPrefix()), notices, new LockTableCheck(dialect, settings),
				behindProxy, read(dialect, settings));
	}

	private static Map<String, SqlStatement> read(Dialect dialect, JdbcLockSettings settings) {
		Map<String, SqlStatement> statements = new HashMap<>();
		Stream.concat(NAMES.stream(), dialect.ownStatements())
			.forEach((name) -> statements.put(name, SqlStatement.parse(read(dialect, settings, name))));
		for (String name : List.of("look-many", "mark-many")) {
			String text = read(dialect, settings, name);
			ManyKeysSql.SIZES.forEach((size) -> statements.put(name + size,
					SqlStatement.parse(text.replace(":keys", ManyKeysSql.parameters(size)))));
		}
		return statements;
	}

	/**
	 * Read the text of a statement: the dialect's own or the common one.
	 */
	private static String read(Dialect dialect, JdbcLockSettings settings, String name) {
		String own = dialect.platform() + "/" + name + ".sql";
		boolean hasOwn = LockTable.class.getResource(own) != null;
		return dialect.expressions().expand(JdbcLockSchema.read(hasOwn ? own : "common/" + name + ".sql"), settings);
	}

	/**
	 * Return a statement.
	 * @param name the name of its file, followed by the number of keys if there are
	 * several
	 * @return the statement
	 */
	SqlStatement statement(String name) {
		return Objects.requireNonNull(this.statements.get(name), name);
	}

	/**
	 * Return the stored form of a key, with its prefix and in the type of its column.
	 * @param key the key as the application wrote it
	 * @return the value of the column
	 */
	Object key(String key) {
		return this.dialect.keyColumnType().toColumn(this.prefix.name(key));
	}

	/**
	 * Read the key of a row.
	 * @param row the row
	 * @return the key as the application wrote it, or empty if it has another prefix
	 * @throws SQLException if a database access error occurs
	 */
	Optional<String> key(ResultSet row) throws SQLException {
		return this.prefix.key(this.dialect.keyColumnType().fromRow(row));
	}

	String name() {
		return this.settings.table();
	}

	/**
	 * Return the script to run if the table is missing.
	 * @return the script in one line, for messages
	 */
	String ddl() {
		return JdbcLockSchema.ddl(this.dialect.platform(), this.settings)
			.replaceAll("--[^\n]*", "")
			.replaceAll("\\s+", " ")
			.strip();
	}

}
