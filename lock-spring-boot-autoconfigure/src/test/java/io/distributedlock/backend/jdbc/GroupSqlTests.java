package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.TokenRange;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for groups in Oracle and SQL Server, for which no server is available.
 */
class GroupSqlTests {

	private static final JdbcLockSettings SETTINGS = JdbcTestDatabase.settings("lock:", "test", "app.my_locks",
			Duration.ofSeconds(2), Duration.ofHours(1), null);

	private static final LockTarget READERS = LockTarget.of("order:42", LockMode.SHARED);

	private static final LockTarget PERMITS = LockTarget.of("order:42", LockMode.PERMITS);

	private static LeaseRequest request(int permits) {
		return new LeaseRequest(OwnerId.random(), Duration.ofSeconds(30), 1, permits, null, false,
				Duration.ofSeconds(2), Duration.ZERO);
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void readerLocksTheRowBeforeItEnters(Dialect dialect) throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(4711L, ScriptedConnection.NOTHING, 1L);

		try (LockConnection connection = scripted.as(dialect, SETTINGS)) {
			assertThat(GroupSql.on(connection).enter(READERS, request(0))).isEqualTo(4711);
		}

		assertStatements(scripted, "UPDATE app.my_locks", "DELETE FROM app.my_locks_reader",
				"INSERT INTO app.my_locks_reader");
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void permitsAreCountedAfterTheRowIsLocked(Dialect dialect) throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(4711L, 2L, ScriptedConnection.NOTHING, 1L);

		try (LockConnection connection = scripted.as(dialect, SETTINGS)) {
			assertThat(GroupSql.on(connection).enter(PERMITS, request(3))).isEqualTo(4711);
		}

		assertStatements(scripted, "UPDATE app.my_locks", "SELECT COUNT(*)", "DELETE FROM app.my_locks_reader",
				"INSERT INTO app.my_locks_reader");
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void permitThatIsRefusedLeavesTheRowToTheOthers(Dialect dialect) throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(4711L, 3L, 1L);

		try (LockConnection connection = scripted.as(dialect, SETTINGS)) {
			assertThat(GroupSql.on(connection).enter(PERMITS, request(3))).isNull();
		}

		assertStatements(scripted, "UPDATE app.my_locks", "SELECT COUNT(*)", "SELECT MAX(reader.expires_at)");
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void groupThatCannotBeEnteredIsLeftAlone(Dialect dialect) throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(ScriptedConnection.NOTHING);

		try (LockConnection connection = scripted.as(dialect, SETTINGS)) {
			assertThat(GroupSql.on(connection).enter(READERS, request(0))).isNull();
		}

		assertThat(scripted.isExhausted()).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void releaseLetsTheRowExpireWithTheLatestOfTheOthers(Dialect dialect) throws Exception {
		LeaseGrant grant = new LeaseGrant(READERS, OwnerId.random(), new TokenRange(7, 1), 0);
		ScriptedConnection scripted = new ScriptedConnection(1L, 1L, 1L, ScriptedConnection.NOTHING);

		try (LockConnection connection = scripted.as(dialect, SETTINGS)) {
			assertThat(GroupSql.on(connection).leave(grant, Duration.ZERO).stands()).isTrue();
		}

		assertStatements(scripted, "SET token = token + 1", "DELETE FROM app.my_locks_reader",
				"SELECT MAX(reader.expires_at)", "waiting_until");
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void releaseOfALeaseThatIsGoneChangesNothingElse(Dialect dialect) throws Exception {
		LeaseGrant grant = new LeaseGrant(READERS, OwnerId.random(), new TokenRange(7, 1), 0);
		ScriptedConnection scripted = new ScriptedConnection(1L, ScriptedConnection.NOTHING);

		try (LockConnection connection = scripted.as(dialect, SETTINGS)) {
			assertThat(GroupSql.on(connection).leave(grant, Duration.ZERO).stands()).isFalse();
		}

		assertThat(scripted.isExhausted()).isTrue();
	}

	@Test
	void statementsUseNothingThatTheDatabasesDoNotKnow() {
		List<String> names = List.of("enter", "clean-members", "clear-members", "cool-member", "count-members",
				"create-row", "insert-member", "leave-member", "lock-gate", "renew-member", "settle-gate",
				"vacate-gate", "writer", "gate", "places", "members", "open-door", "mark-holder");
		LockTable oracle = new LockTable(Dialect.ORACLE, SETTINGS, new ReleaseNotices(), false);
		LockTable sqlserver = new LockTable(Dialect.SQLSERVER, SETTINGS, new ReleaseNotices(), false);

		for (String name : names) {
			// Oracle accepts no AS before the alias of a table.
			assertThat(oracle.statement(name).sql()).as(name).doesNotContain("AS reader", "AS held", "@@");
			// SQL Server supports GREATEST only from 2022 on.
			assertThat(sqlserver.statement(name).sql()).as(name).doesNotContain("GREATEST", "LEAST", "@@");
		}
		assertThat(oracle.statement("enter").sql()).startsWith("BEGIN").contains("RETURNING token INTO ?");
		assertThat(sqlserver.statement("enter").sql()).contains("OUTPUT inserted.token");
		// SQL Server accepts no query among VALUES.
		assertThat(sqlserver.statement("insert-member").sql()).doesNotContain("VALUES");
	}

	private static void assertStatements(ScriptedConnection scripted, String... parts) throws SQLException {
		assertThat(scripted.isExhausted()).isTrue();
		assertThat(scripted.statements()).hasSameSizeAs(parts);
		for (int i = 0; i < parts.length; i++) {
			assertThat(scripted.statements().get(i)).contains(parts[i]);
		}
	}

}
