package io.distributedlock.backend.jdbc;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Settings of the store.
 */
class JdbcLockSettingsTests {

	@Test
	void tableOfReadersIsNamedAfterTheTableOfLocks() {
		assertThat(settings("lock:", "me", "app.locks").readerTable()).isEqualTo("app.locks_reader");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "locks; DROP TABLE x", "\"locks\"", "1locks", "a..b", "locks'" })
	void namesThatAreNoPlainNamesAreRefused(String table) {
		assertThatIllegalArgumentException().isThrownBy(() -> settings("lock:", "me", table))
			.withMessageContaining("lock.jdbc.table");
	}

	@Test
	void prefixThatDoesNotFitIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> settings("x".repeat(129), "me", "locks"))
			.withMessageContaining("lock.key-prefix");
	}

	@Test
	void instanceIsMadeToFitItsColumn() {
		assertThat(settings("lock:", "a\0b\n" + "x".repeat(300), "locks").instanceId()).hasSize(255)
			.startsWith("a?b?x");
	}

	private static JdbcLockSettings settings(String prefix, String instance, String table) {
		return JdbcTestDatabase.settings(prefix, instance, table, Duration.ofSeconds(2), Duration.ofHours(1), null);
	}

}
