package io.distributedlock.backend;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyPrefix}.
 */
class KeyPrefixTests {

	@Test
	void prefixThatEndsWithItsOnlyColonStandsAsItIs() {
		assertThat(new KeyPrefix("lock:").name("order:42")).isEqualTo("lock:order:42");
	}

	@Test
	void keyIsFoundUnderItsOwnPrefixOnly() {
		String name = new KeyPrefix("shop:lock:").name("order:42");

		assertThat(new KeyPrefix("shop:lock:").key(name)).hasValue("order:42");
		assertThat(new KeyPrefix("shop:").key(name)).isEmpty();
		assertThat(new KeyPrefix("").key(name)).isEmpty();
	}

	@Test
	void twoLocksHaveTheSameNameOnlyIfPrefixAndKeyAreEqual() {
		List<String> texts = texts(4);
		Map<String, String> locks = new HashMap<>();

		for (String prefix : texts) {
			for (String key : texts) {
				String lock = "'" + prefix + "' and '" + key + "'";
				String other = locks.put(new KeyPrefix(prefix).name(key), lock);
				assertThat(other).as("a lock with the name of %s", lock).isNull();
				assertThat(new KeyPrefix(prefix).key(new KeyPrefix(prefix).name(key))).hasValue(key);
			}
		}
	}

	/**
	 * Return all texts up to a length that consist of the characters with a meaning in
	 * prefixes.
	 */
	private static List<String> texts(int length) {
		if (length == 0) {
			return List.of("");
		}
		List<String> shorter = texts(length - 1);
		return Stream
			.concat(Stream.of(""),
					shorter.stream().flatMap((text) -> Stream.of("a", ":", "\\", ".").map((next) -> text + next)))
			.distinct()
			.toList();
	}

}
