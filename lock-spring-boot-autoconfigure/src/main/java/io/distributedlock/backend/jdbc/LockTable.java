package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
 * @param memberCheck checks the columns of the table of members, once
 * @param behindProxy whether a proxy is between the driver and PostgreSQL
 * @param statements the statements by their names
 */
record LockTable(Dialect dialect, JdbcLockSettings settings, KeyPrefix prefix, ReleaseNotices notices,
		LockTableCheck check, LockTableCheck memberCheck, boolean behindProxy, Map<String, SqlStatement> statements) {

	private static final List<String> NAMES = List.of("abandon", "find", "force-release", "forget", "list", "mark",
			"release", "renew", "standing", "state", "unused", "wanted");

	private static final List<String> GROUP_NAMES = List.of("enter", "expired", "forget-member", "gate", "mark-holder",
			"members", "open-door", "places");

	private static final List<String> ARRAY_NAMES = List.of("ask-permit", "force-group", "leave", "renew-members",
			"settle");

	private static final List<String> STEP_NAMES = List.of("clean-members", "clear-members", "cool-member",
			"count-members", "create-row", "insert-member", "leave-member", "lock-gate", "renew-member", "settle-gate",
			"vacate-gate", "writer");

	private static final Pattern STEP = Pattern.compile("@@step\\(([a-z-]+)\\)@@");

	LockTable(Dialect dialect, JdbcLockSettings settings, ReleaseNotices notices, boolean behindProxy) {
		this(dialect, settings, new KeyPrefix(settings.keyPrefix()), notices, LockTableCheck.ofLocks(dialect, settings),
				LockTableCheck.ofMembers(dialect, settings), behindProxy, read(dialect, settings));
	}

	private static Map<String, SqlStatement> read(Dialect dialect, JdbcLockSettings settings) {
		Map<String, SqlStatement> statements = new HashMap<>();
		Stream
			.of(NAMES.stream(), GROUP_NAMES.stream(), dialect.ownStatements(),
					(dialect.has(Dialect.Trait.ARRAYS) ? ARRAY_NAMES : STEP_NAMES).stream())
			.flatMap((names) -> names)
			.forEach((name) -> statements.put(name, SqlStatement.parse(read(dialect, settings, name))));
		if (dialect.has(Dialect.Trait.BLOCKS)) {
			for (String step : List.of("leave-member", "cool-member", "renew-member")) {
				String block = text(dialect, "change").replace("@@step(change)@@", "@@step(" + step + ")@@");
				statements.put("block-" + step, SqlStatement.parse(expand(dialect, settings, block)));
			}
		}
		for (String name : List.of("look-many", "mark-many")) {
			String text = read(dialect, settings, name);
			ManyKeysSql.SIZES.forEach((size) -> statements.put(name + size,
					SqlStatement.parse(text.replace(":keys", ManyKeysSql.parameters(size)))));
		}
		return statements;
	}

	private static String read(Dialect dialect, JdbcLockSettings settings, String name) {
		return expand(dialect, settings, text(dialect, name));
	}

	/**
	 * Read the text of a statement: the dialect's own or the common one.
	 */
	private static String text(Dialect dialect, String name) {
		String own = dialect.platform() + "/" + name + ".sql";
		boolean hasOwn = LockTable.class.getResource(own) != null;
		return JdbcLockSchema.read(hasOwn ? own : "common/" + name + ".sql");
	}

	/**
	 * Insert the statements that are steps of another one, and the expressions.
	 */
	private static String expand(Dialect dialect, JdbcLockSettings settings, String text) {
		String whole = STEP.matcher(text)
			.replaceAll((step) -> Matcher.quoteReplacement(text(dialect, step.group(1)).stripTrailing()));
		return dialect.expressions().expand(whole, settings);
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
