package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.distributedlock.backend.KeyPrefix;

/**
 * Where the statements of a dialect come from.
 *
 * @param dialect the dialect
 * @param settings the settings, which name the tables
 * @param prefix what comes before the keys
 * @param notices runs the statements that notify
 */
record SqlSource(Dialect dialect, JdbcLockSettings settings, KeyPrefix prefix, ReleaseNotices notices) {

	private static final Pattern NOTICE = Pattern.compile("pg_notify\\([^)]*\\)");

	SqlSource(Dialect dialect, JdbcLockSettings settings, ReleaseNotices notices) {
		this(dialect, settings, new KeyPrefix(settings.keyPrefix()), notices);
	}

	/**
	 * Read a statement: the dialect's own or the common one.
	 * @param name its name
	 * @return the statement
	 */
	SqlStatement statement(String name) {
		return statement(name, UnaryOperator.identity());
	}

	/**
	 * Read a statement that is put together further.
	 * @param name its name
	 * @param completion completes its text
	 * @return the statement
	 */
	SqlStatement statement(String name, UnaryOperator<String> completion) {
		String own = this.dialect.platform() + "/" + name + ".sql";
		boolean hasOwn = SqlSource.class.getResource(own) != null;
		String text = JdbcLockSchema.read(hasOwn ? own : "common/" + name + ".sql");
		return SqlStatement.parse(completion.apply(this.dialect.expressions().expand(text, this.settings)));
	}

	/**
	 * Read a statement that may notify waiters.
	 * @param name its name
	 * @return the statement, with and without the notice
	 */
	ReleaseNotices.Sql notifying(String name) {
		SqlStatement loud = statement(name);
		return new ReleaseNotices.Sql(loud,
				new SqlStatement(NOTICE.matcher(loud.sql()).replaceAll("NULL"), loud.parameters()));
	}

	/**
	 * Return how a key is stored: behind the prefix, in the form of its column.
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
	 * @throws SQLException if the database complains
	 */
	Optional<String> key(ResultSet row) throws SQLException {
		return this.prefix.key(this.dialect.keyColumnType().fromRow(row));
	}

}
