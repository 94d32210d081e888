package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for attempts at Oracle and SQL Server, for which no server is available.
 */
class AcquireSqlTests {

	private static final JdbcLockSettings SETTINGS = JdbcTestDatabase.settings("lock:", "test", "app.my_locks",
			Duration.ofSeconds(2), Duration.ofHours(1), null);

	private final LeaseRequest request = request(false);

	private static LeaseRequest request(boolean waiting) {
		return new LeaseRequest(OwnerId.random(), Duration.ofSeconds(30), 1, null, waiting, Duration.ofSeconds(2),
				Duration.ZERO);
	}

	private static LockRow acquire(Dialect dialect, ScriptedConnection scripted, LeaseRequest request)
			throws SQLException {
		try (LockConnection connection = scripted.as(dialect, SETTINGS)) {
			return new AcquireSql(connection, "order:42", request, Duration.ofMillis(20)).acquire();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void lockWhoseRowIsThereIsTakenByOneStatement(Dialect dialect) throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(4711L);

		LockRow row = acquire(dialect, scripted, this.request);

		assertThat(row.owner()).isEqualTo(this.request.ownerId().value());
		assertThat(row.token()).isEqualTo(4711);
		assertThat(scripted.statements()).singleElement().asString().contains("UPDATE app.my_locks");
	}

	@ParameterizedTest
	@EnumSource(names = { "ORACLE", "SQLSERVER" })
	void lockWhoseRowIsMissingIsTakenByTwo(Dialect dialect) throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(ScriptedConnection.NOTHING, 4711L);

		LockRow row = acquire(dialect, scripted, this.request);

		assertThat(row.token()).isEqualTo(4711);
		assertThat(scripted.statements()).hasSize(2).last().asString().contains("INSERT INTO app.my_locks");
	}

	static Stream<Arguments> duplicates() {
		return Stream.of(Arguments.of(Dialect.ORACLE, new SQLException("ORA-00001", "23000", 1)),
				Arguments.of(Dialect.SQLSERVER, new SQLException("violation of PRIMARY KEY", "23000", 2627)),
				Arguments.of(Dialect.SQLSERVER, new SQLException("duplicate key row", "23000", 2601)),
				Arguments.of(Dialect.MYSQL, new SQLException("Duplicate entry", "23000", 1062)));
	}

	@ParameterizedTest
	@MethodSource("duplicates")
	void duplicateKeyIsALostRace(Dialect dialect, SQLException duplicate) throws Exception {
		ScriptedConnection scripted = (dialect == Dialect.MYSQL)
				? new ScriptedConnection(ScriptedConnection.NOTHING, ScriptedConnection.NOTHING, duplicate)
				: new ScriptedConnection(ScriptedConnection.NOTHING, duplicate);

		assertThat(acquire(dialect, scripted, this.request)).isNull();
		assertThat(scripted.isExhausted()).isTrue();
	}

	@Test
	void deadlockIsNoLostRace() {
		SQLException deadlock = new SQLException("ORA-00060", "61000", 60);
		ScriptedConnection scripted = new ScriptedConnection(ScriptedConnection.NOTHING, deadlock);

		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> acquire(Dialect.ORACLE, scripted, this.request))
			.isSameAs(deadlock);
	}

	@Test
	void mysqlInsertsNothingBesideARowThatIsThere() throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(ScriptedConnection.NOTHING,
				new LockRow("other", 7, 5000, 0, null, LockRow.FORMAT));

		assertThat(acquire(Dialect.MYSQL, scripted, this.request).rest()).isEqualTo(5000);
		assertThat(scripted.statements()).hasSize(2).last().asString().contains("SELECT");
	}

	@Test
	void mysqlLeavesTheMarkOfAWaiterByTheThirdStatement() throws Exception {
		ScriptedConnection scripted = new ScriptedConnection(ScriptedConnection.NOTHING,
				new LockRow("other", 7, 5000, 0, null, LockRow.FORMAT), 1L);

		assertThat(acquire(Dialect.MYSQL, scripted, request(true)).rest()).isEqualTo(5000);
		assertThat(scripted.statements()).hasSize(3).last().asString().contains("SET waiting_until");
	}

	@Test
	void oracleReturnsTheTokenIntoAParameterOfABlock() {
		LockTable table = new LockTable(Dialect.ORACLE, SETTINGS, new ReleaseNotices(), false);

		assertThat(table.statement("take").sql()).startsWith("BEGIN")
			.endsWith("END;")
			.contains("RETURNING token INTO ?");
		assertThat(table.statement("insert").sql()).startsWith("BEGIN").contains("RETURNING token INTO ?");
		assertThat(table.statement("take").sql()).contains("SYSTIMESTAMP AT TIME ZONE 'UTC'")
			.doesNotContain("SYSDATE", "CURRENT_TIMESTAMP");
	}

	@Test
	void sqlServerReturnsTheTokenAsARowAndNeverMerges() {
		LockTable table = new LockTable(Dialect.SQLSERVER, SETTINGS, new ReleaseNotices(), false);

		assertThat(table.statement("take").sql()).startsWith("UPDATE").contains("OUTPUT inserted.token");
		assertThat(table.statement("insert").sql()).startsWith("INSERT").contains("OUTPUT inserted.token");
		// SQL Server supports GREATEST only from 2022 on.
		assertThat(table.statement("renew").sql()).contains("SYSUTCDATETIME()").doesNotContain("GREATEST", "MERGE");
	}

	@Test
	void columnsHoldInstantsThatNoZoneChanges() {
		assertThat(JdbcLockSchema.ddl("sqlserver", SETTINGS)).contains("expires_at DATETIME2(7) NOT NULL");
		assertThat(JdbcLockSchema.ddl("oracle", SETTINGS)).contains("expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL");
		assertThat(JdbcLockSchema.ddl("mysql", SETTINGS)).contains("expires_at DATETIME(6) NOT NULL");
	}

}
