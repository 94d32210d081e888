package io.distributedlock.backend.jdbc;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Forms of keys.
 */
class KeyColumnTypeTests {

	@Test
	void noTwoKeysMeetInTextAndNoneHasNul() {
		List<String> parts = List.of("\0", "\\", "0", "a");
		Set<Object> stored = new HashSet<>();
		for (String first : parts) {
			for (String second : parts) {
				for (String third : parts) {
					stored.add(KeyColumnType.TEXT.toColumn(first + second + third));
				}
			}
		}

		assertThat(stored).hasSize(64).noneMatch((column) -> column.toString().contains("\0"));
	}

	@Test
	void ordinaryKeysStayReadable() {
		assertThat(KeyColumnType.TEXT.toColumn("lock:order:42")).isEqualTo("lock:order:42");
		assertThat(KeyColumnType.HEX.toColumn("é ")).isEqualTo("c3a920");
	}

}
