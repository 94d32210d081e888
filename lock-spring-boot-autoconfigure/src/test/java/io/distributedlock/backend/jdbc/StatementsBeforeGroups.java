package io.distributedlock.backend.jdbc;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The statements of the version before groups, for each dialect with the default names of
 * the tables.
 */
final class StatementsBeforeGroups {

	private static final String HEADING = "--- ";

	private StatementsBeforeGroups() {
	}

	/**
	 * Read the statements of a dialect.
	 * @return the text of each by its name
	 */
	static Map<String, String> of(Dialect dialect) {
		Map<String, String> statements = new LinkedHashMap<>();
		for (String statement : JdbcLockSchema.read("before-groups/" + dialect.platform() + ".sql")
			.split("(?m)^" + HEADING)) {
			int end = statement.indexOf('\n');
			if (end > 0) {
				statements.put(statement.substring(0, end), statement.substring(end + 1).strip());
			}
		}
		return statements;
	}

	/**
	 * Return the statements of that version as a table.
	 * @param settings the settings
	 */
	static LockTable table(Dialect dialect, JdbcLockSettings settings) {
		LockTable table = new LockTable(dialect, settings, new ReleaseNotices(), false);
		Map<String, SqlStatement> statements = new LinkedHashMap<>();
		of(dialect).forEach((name, text) -> statements.put(name, SqlStatement.parse(text)));
		return new LockTable(dialect, settings, table.prefix(), table.notices(), table.check(), table.memberCheck(),
				false, statements);
	}

}
