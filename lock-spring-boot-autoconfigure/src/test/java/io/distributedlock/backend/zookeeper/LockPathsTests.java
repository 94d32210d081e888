package io.distributedlock.backend.zookeeper;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.KeyPrefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Tests for {@link LockPaths}.
 */
class LockPathsTests {

	private final LockPaths paths = new LockPaths("/app/locks", new KeyPrefix(":"));

	@Test
	void keyIsOneElementBelowTheRoot() {
		assertThat(new LockPaths("/locks", new KeyPrefix("lock:")).lock("order:42")).isEqualTo("/locks/lock:order:42");
		assertThat(this.paths.lock("file:///x//y")).isEqualTo("/app/locks/:file:%2F%2F%2Fx%2F%2Fy");
		assertThat(this.paths.lock("a%2Fb")).isEqualTo("/app/locks/:a%252Fb");
		assertThat(this.paths.lock("café")).isEqualTo("/app/locks/:caf%C3%A9");
	}

	@Test
	void dotsMakeNeitherAnAncestorNorANameOfOurOwn() {
		assertThat(this.paths.lock(".")).isEqualTo("/app/locks/:.");
		assertThat(this.paths.lock("..")).isEqualTo("/app/locks/:..");
		assertThat(this.paths.lock(".sessions")).isEqualTo("/app/locks/:.sessions").isNotEqualTo(this.paths.sessions());
		assertThat(this.paths.lock("a.b")).isEqualTo("/app/locks/:a.b");
	}

	@Test
	void anyKeysAreKeptApartReadBackAndValid() {
		long seed = ThreadLocalRandom.current().nextLong();
		Random random = new Random(seed);
		Map<String, String> keys = new HashMap<>();
		for (int i = 0; i < 20_000; i++) {
			String key = randomKey(random);
			String path = this.paths.lock(key);
			String name = path.substring("/app/locks/".length());

			assertThat(keys.putIfAbsent(path, key)).as("another key at %s, seed %d", path, seed).isIn(null, key);
			assertThat(this.paths.key(name)).as("seed %d", seed).contains(key);
			assertThat(name).doesNotContain("/");
			assertThatCode(() -> PathUtils.validatePath(path)).as("seed %d", seed).doesNotThrowAnyException();
		}
	}

	private static String randomKey(Random random) {
		StringBuilder key = new StringBuilder();
		int length = 1 + random.nextInt(4);
		while (key.length() < length) {
			int character = switch (random.nextInt(4)) {
				case 0 -> "/.%2EF".charAt(random.nextInt(6));
				case 1 -> random.nextInt(0x100);
				case 2 -> 0xE000 + random.nextInt(0x2000);
				default -> 0x1F600 + random.nextInt(3);
			};
			key.appendCodePoint(character);
		}
		return key.toString();
	}

	@Test
	void nameThatWeWouldWriteOtherwiseIsNoKey() {
		assertThat(List.of(":%2f", ":%41", ":%", ":%2", ":é", ".sessions", ":a b"))
			.noneMatch((name) -> this.paths.key(name).isPresent());
	}

	@Test
	void keyOfAnotherPrefixIsNotOurs() {
		LockPaths prefixed = new LockPaths("/locks", new KeyPrefix("shop/:"));

		assertThat(prefixed.key("shop%2F:a")).contains("a");
		assertThat(prefixed.key("other")).isEmpty();
	}

	@Test
	void rootIsMadeFromTheTop() {
		assertThat(new LockPaths("/a/b/c", new KeyPrefix("")).rootAndAbove()).containsExactly("/a", "/a/b", "/a/b/c");
		assertThat(new LockPaths("/a", new KeyPrefix("")).rootAndAbove()).containsExactly("/a");
	}

}
