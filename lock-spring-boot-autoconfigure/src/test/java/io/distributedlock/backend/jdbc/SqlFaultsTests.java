package io.distributedlock.backend.jdbc;

import java.sql.SQLException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the classification of faults.
 */
class SqlFaultsTests {

	@ParameterizedTest
	@CsvSource({ "40001,1213", "HY000,1205", "HY000,1020", "40001,0", "40P01,0", "72000,8177", "61000,60", "S0005,3960",
			"40001,1205", "S00051,1222" })
	void deadlocksLockWaitsAndSnapshotConflictsAreRepeated(String state, int code) {
		SQLException fault = new SQLException("any", state, code);

		assertThat(SqlFaults.isTransient(fault)).isTrue();
		assertThat(SqlFaults.isDuplicateKey(fault)).isFalse();
		assertThat(SqlFaults.isReadOnly(fault)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "HY000,1290", "HY000,1836", "25006,1792", "42000,16000", "S0002,3906", "25006,0" })
	void serversThatTakeNoChangesAreReadOnlyAndNothingIsRepeated(String state, int code) {
		SQLException fault = new SQLException("any", state, code);

		assertThat(SqlFaults.isReadOnly(fault)).isTrue();
		assertThat(SqlFaults.isTransient(fault)).isFalse();
		assertThat(SqlFaults.isDuplicateKey(fault)).isFalse();
		assertThat(SqlFaults.isMissingTable(new SQLException("any", "HY000", code))).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "23505,0", "23000,1062", "23000,1", "23000,2601", "23000,2627" })
	void duplicateKeysAreNeitherRepeatedNorReadOnly(String state, int code) {
		SQLException fault = new SQLException("any", state, code);

		assertThat(SqlFaults.isDuplicateKey(fault)).isTrue();
		assertThat(SqlFaults.isTransient(fault)).isFalse();
		assertThat(SqlFaults.isReadOnly(fault)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "42S02,1146", "42000,942", "S0002,208", "42501,-5501", "42P01,0" })
	void missingTablesAreRecognized(String state, int code) {
		assertThat(SqlFaults.isMissingTable(new SQLException("any", state, code))).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "42501,0", "90096,90096", "42000,1142", "42000,1143", "42000,1044", "42000,1031", "S0005,229" })
	void missingRightsAreRefusedForGood(String state, int code) {
		SQLException fault = new SQLException("any", state, code);

		assertThat(SqlFaults.isMissingRight(fault)).isTrue();
		assertThat(SqlFaults.isRefusedForGood(fault)).isTrue();
		assertThat(SqlFaults.isMissingTable(fault)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "42703,0", "42S22,1054", "42S22,42122", "42000,904", "42P01,0", "42S02,1146", "28P01,0", "28000,1045",
			"72000,1017", "3D000,0", "42000,1049", "42883,0" })
	void whatIsMissingOrUnknownIsRefusedForGood(String state, int code) {
		SQLException fault = new SQLException("any", state, code);

		assertThat(SqlFaults.isRefusedForGood(fault)).isTrue();
		assertThat(SqlFaults.isMissingRight(fault)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "53300,0", "08004,1040", "42000,1203", "42000,1226", "25006,0", "HY000,1290", "57P03,0", "40001,1213",
			"HY000,1205", "54000,0", "57014,0", "08006,0", "42P05,0", "HY000,1017", "HY000,1031" })
	void whatPassesIsNotRefusedForGood(String state, int code) {
		assertThat(SqlFaults.isRefusedForGood(new SQLException("any", state, code))).isFalse();
	}

}
