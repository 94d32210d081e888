package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Statements from files.
 */
class SqlStatementTests {

	@Test
	void namedParametersBecomeQuestionMarksAndCommentsGo() {
		SqlStatement statement = SqlStatement
			.parse("-- In: key, :owner\nSELECT 1\n\t-- and more\nWHERE a = :key AND b = :owner AND c = :key\n");

		assertThat(statement.sql()).isEqualTo("SELECT 1\nWHERE a = ? AND b = ? AND c = ?");
		assertThat(statement.parameters()).isEqualTo(List.of("key", "owner", "key"));
	}

	@ParameterizedTest
	@EnumSource(Dialect.class)
	void everyDialectHasAllStatementsAndAScript(Dialect dialect) {
		JdbcLockSettings settings = JdbcTestDatabase.settings("lock:", "test", "app.my_locks", Duration.ofSeconds(2),
				Duration.ofHours(1), null);

		LockTable table = new LockTable(dialect, settings, new ReleaseNotices(), false);

		assertThat(table.statement("release").sql()).contains("UPDATE app.my_locks").doesNotContain("@@");
		assertThat(table.ddl()).contains("app.my_locks", "app.my_locks_reader").doesNotContain("@@");
	}

}
