package io.distributedlock.backend.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisKeys}.
 */
class RedisKeysTests {

	private static final String ALPHABET = "a%{}:B7D25 \u0000\n\\*?[]^-é\uD83D\uDE00";

	private final long seed = ThreadLocalRandom.current().nextLong();

	private final Random random = new Random(this.seed);

	@Test
	void plainKeyIsWhatAPersonExpects() {
		assertThat(text(new RedisKeys("lock:").all("order:42"))).containsExactly("lock:{order:42}", "lock:{order:42}:c",
				"lock:{order:42}:w");
		assertThat(new RedisKeys("lock:").channel()).asString(StandardCharsets.UTF_8).isEqualTo("lock:released");
	}

	@Test
	void namesOfAGroupFollowThoseOfTheKey() {
		assertThat(text(new RedisKeys("lock:").allOfGroup("order:42"))).containsExactly("lock:{order:42}",
				"lock:{order:42}:c", "lock:{order:42}:w", "lock:{order:42}:s", "lock:{order:42}:h",
				"lock:{order:42}:d");
	}

	@Test
	void stateIsNoNameOfAKey() {
		RedisKeys keys = new RedisKeys("app{1}:");

		assertThat(keys.beside("state")).asString(StandardCharsets.UTF_8)
			.isEqualTo("app%7B1%7D:state")
			.doesNotContain("{");
		assertThat(keys.key(keys.beside("state"))).isEmpty();
	}

	@Test
	void bracesAndPercentSignsAreEscaped() {
		assertThat(text(new RedisKeys("").all("{a}b%7B"))).first().isEqualTo("{%7Ba%7Db%257B}");
		assertThat(text(new RedisKeys("app{1}:").all("a"))).first().isEqualTo("app%7B1%7D:{a}");
	}

	@Test
	void namesOfAnyKeyShareASlot() {
		for (int i = 0; i < 10_000; i++) {
			RedisKeys keys = new RedisKeys(randomText(3));
			String key = "x" + randomText(20);

			assertThat(keys.allOfGroup(key).stream().map(SlotHash::getSlot).distinct())
				.as("'%s' of seed %d", key, this.seed)
				.hasSize(1);
		}
	}

	@Test
	void differentKeysHaveDifferentNames() {
		Map<String, String> keysByName = new HashMap<>();
		RedisKeys keys = new RedisKeys("lock:");
		for (int i = 0; i < 20_000; i++) {
			String key = "x" + randomText(6);
			for (String name : text(keys.allOfGroup(key))) {
				String other = keysByName.put(name, key);
				if (other != null) {
					assertThat(other).as("another key named '%s' of seed %d", name, this.seed).isEqualTo(key);
				}
			}
		}
	}

	@Test
	void keyIsReadFromTheNameOfItsLockOnly() {
		RedisKeys keys = new RedisKeys("lo{ck:");
		for (int i = 0; i < 10_000; i++) {
			String key = "x" + randomText(20);
			List<byte[]> names = keys.allOfGroup(key);

			assertThat(keys.key(names.get(0))).as("seed %d", this.seed).hasValue(key);
			assertThat(names.subList(1, names.size())).allSatisfy((name) -> assertThat(keys.key(name)).isEmpty());
		}
	}

	@Test
	void namesOfOthersAreNoKeys() {
		RedisKeys keys = new RedisKeys("lock:");

		assertThat(keys.key(bytes("lock:{}"))).isEmpty();
		assertThat(keys.key(bytes("lock:{a%}"))).isEmpty();
		assertThat(keys.key(bytes("lock:{a}b}"))).isEmpty();
		assertThat(keys.key(bytes("other:{a}"))).isEmpty();
	}

	@Test
	void patternTakesThePrefixLiterally() {
		assertThat(new RedisKeys("a*b?[c]\\:").pattern()).isEqualTo("a\\*b\\?\\[c\\]\\\\:{*}");
	}

	private String randomText(int most) {
		StringBuilder text = new StringBuilder();
		int[] points = ALPHABET.codePoints().toArray();
		for (int i = this.random.nextInt(most + 1); i > 0; i--) {
			text.appendCodePoint(points[this.random.nextInt(points.length)]);
		}
		return text.toString();
	}

	private static List<String> text(List<byte[]> names) {
		return names.stream().map((name) -> new String(name, StandardCharsets.UTF_8)).toList();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
