package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The statements for exclusive leases are those of the version before groups.
 */
class ExclusiveStatementsTests {

	/**
	 * What administrators see includes groups.
	 */
	private static final Set<String> INSPECTION = Set.of("find", "list");

	private static final JdbcLockSettings SETTINGS = JdbcTestDatabase.settings("lock:", "test",
			JdbcLockSettings.DEFAULT_TABLE, Duration.ofSeconds(2), Duration.ofHours(1), null);

	@ParameterizedTest
	@EnumSource
	void statementsForExclusiveLeasesAreUnchanged(Dialect dialect) {
		LockTable table = new LockTable(dialect, SETTINGS, new ReleaseNotices(), false);
		Map<String, String> before = new LinkedHashMap<>(StatementsBeforeGroups.of(dialect));
		before.keySet().removeAll(INSPECTION);

		assertThat(before).hasSizeGreaterThan(12);
		before.forEach((name, text) -> assertThat(table.statement(name.endsWith("-many") ? name + "10" : name)).as(name)
			.isEqualTo(SqlStatement.parse(returnsOwner(dialect, name, text))));
	}

	/**
	 * Return a statement as it is now: a waiter's mark returns the owner, too, because
	 * without one there may be a group.
	 */
	private static String returnsOwner(Dialect dialect, String name, String text) {
		String expanded = name.endsWith("-many") ? text.replace(":keys", ManyKeysSql.parameters(10)) : text;
		if (!name.equals("mark") || !dialect.has(Dialect.Trait.UPDATES_RETURN)) {
			return expanded;
		}
		return (dialect == Dialect.H2) ? expanded.replaceFirst("^SELECT ", "SELECT owner, ")
				: expanded.replaceFirst("RETURNING ", "RETURNING owner, ");
	}

}
