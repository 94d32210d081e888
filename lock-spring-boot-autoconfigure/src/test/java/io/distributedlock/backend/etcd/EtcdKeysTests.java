package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.etcd.jetcd.ByteSequence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockMode;
import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.backend.etcd.EtcdKeys.Kind;
import io.distributedlock.backend.etcd.EtcdKeys.Named;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link EtcdKeys}.
 */
class EtcdKeysTests {

	private static final List<String> HOSTILE = Stream
		.concat(Stream.of("a", "a/", "a/b", "a/w/", "a%2Fb", "a%2fb", "a%", "%", "%%", "/", "//", "/s/", "a/c", "a/t",
				"\u0000", "a\u0000", "\u0001", "\u007f", "%00", "%7F", "\u00e9", "e\u0301", "\ud83d\ude00".repeat(255),
				"c", "t", "w", "s", "."), IntStream.range(0, 128).mapToObj((character) -> "x" + (char) character))
		.toList();

	private final EtcdKeys keys = new EtcdKeys("locks/", new KeyPrefix("lock:"));

	@Test
	void namesAreReadableWhereKeysAre() {
		assertThat(text(this.keys.cooldown("order:42"))).isEqualTo("locks/lock:order:42/c");
		assertThat(text(this.keys.tick("a/b"))).isEqualTo("locks/lock:a%2Fb/t");
		assertThat(text(this.keys.session(255))).isEqualTo("locks//s/ff");
	}

	@Test
	void everyKeyIsReadBackAsItWasWritten() {
		for (String key : HOSTILE) {
			for (LockMode mode : LockMode.values()) {
				assertThat(this.keys.parse(this.keys.entry(LockTarget.of(key, mode), OwnerId.random()))).as(key)
					.hasValue(new Named(key, Kind.valueOf(mode.name())));
			}
			assertThat(this.keys.parse(this.keys.cooldown(key))).as(key).hasValue(new Named(key, Kind.COOLDOWN));
		}
	}

	@ParameterizedTest
	@EnumSource(LockMode.class)
	void nameOfAnEntryShowsItsModeAndOwner(LockMode mode) {
		OwnerId owner = OwnerId.random();

		ByteSequence entry = this.keys.entry(LockTarget.of("k", mode), owner);

		assertThat(EtcdKeys.modeOf(entry)).isEqualTo(mode);
		assertThat(EtcdKeys.ownerOf(entry)).isEqualTo(owner);
	}

	@ParameterizedTest
	@ValueSource(strings = { "q0123456789abcdef0123456789abcdef", "r0123456789abcdef0123456789abcde",
			"rr0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdeg", "" })
	void entryOfAnotherFormHasNoMode(String tail) {
		ByteSequence entry = this.keys.queue("k").concat(ByteSequence.from(tail, StandardCharsets.UTF_8));

		assertThat(EtcdKeys.modeOf(entry)).isNull();
	}

	@Test
	void whatIsBeforeAMemberIsEverythingButItsGroup() {
		LockTarget shared = LockTarget.of("k", LockMode.SHARED);

		assertThat(this.keys.before(shared, this.keys.all("k")))
			.extracting((range) -> text(range.from()), (range) -> text(range.to()))
			.containsExactly(tuple("locks/lock:k/", "locks/lock:k/w/r"), tuple("locks/lock:k/w/s", "locks/lock:k/~"));
	}

	@Test
	void noTwoKeysShareANameAndNoLineBeginsWithThatOfAnotherKey() {
		Map<String, String> lines = new HashMap<>();
		for (String key : HOSTILE) {
			assertThat(lines.put(text(this.keys.queue(key)), key)).as("another key with the queue of '%s'", key)
				.isNull();
		}
		for (String one : lines.keySet()) {
			for (String other : lines.keySet()) {
				assertThat(one.equals(other) || !other.startsWith(one)).as("'%s' and '%s'", one, other).isTrue();
			}
		}
	}

	@Test
	void nameThatIsNoPlaceAndNoCooldownHasNoKey() {
		assertThat(parse("locks/lock:k/t")).isEmpty();
		assertThat(parse("locks//s/ff")).isEmpty();
		assertThat(parse("locks/lock:k")).isEmpty();
		assertThat(parse("locks/other:k/c")).isEmpty();
		assertThat(parse("locks/lock:%zz/c")).isEmpty();
		assertThat(parse("elsewhere/lock:k/c")).isEmpty();
	}

	@Test
	void prefixWithASlashIsNoPathEither() {
		EtcdKeys slashed = new EtcdKeys("", new KeyPrefix("shop/:"));

		assertThat(text(slashed.cooldown("k"))).isEqualTo("shop%2F:k/c");
		assertThat(slashed.parse(slashed.cooldown("k"))).hasValue(new Named("k", Kind.COOLDOWN));
	}

	private Optional<Named> parse(String name) {
		return this.keys.parse(ByteSequence.from(name, StandardCharsets.UTF_8));
	}

	private static String text(ByteSequence name) {
		return name.toString(StandardCharsets.UTF_8);
	}

}
