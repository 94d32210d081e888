package io.distributedlock.backend.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redis.script.LuaScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisScripts}.
 */
class RedisScriptsTests {

	private static final List<LuaScript> ALL = List.of(RedisScripts.ACQUIRE, RedisScripts.RELEASE, RedisScripts.RENEW,
			RedisScripts.FIND, RedisScripts.FORCE_RELEASE, LuaScript.SCAN, RedisScripts.PROBE, RedisScripts.INFO,
			RedisScripts.QUARANTINE, RedisScripts.GUARDED_ACQUIRE, RedisScripts.GUARDED_RENEW, RedisScripts.REINSTALL,
			RedisScripts.RELEASE_FORGOTTEN, RedisScripts.ENTER, RedisScripts.RELEASE_MEMBER, RedisScripts.RENEW_MEMBERS,
			RedisScripts.RENEW_ALONE, RedisScripts.FIND_MEMBERS, RedisScripts.OPEN_DOOR, RedisScripts.GUARDED_ENTER,
			RedisScripts.ACQUIRE_SEVERAL, RedisScripts.ENTER_SEVERAL, RedisScripts.GUARDED_ACQUIRE_SEVERAL,
			RedisScripts.GUARDED_ENTER_SEVERAL, RedisScripts.GUARDED_RENEW_MEMBERS, RedisScripts.REINSTALL_MEMBERS,
			RedisScripts.RELEASE_FORGOTTEN_MEMBER);

	@Test
	void everyScriptDescribesWhatComesInAndGoesOut() {
		assertThat(ALL).allSatisfy((script) -> assertThat(script.source()).startsWith("-- ")
			.contains("\n-- In:  KEYS  ")
			.contains("\n-- Out: {"));
	}

	@Test
	void everyResourceIsPartOfAScript() throws IOException, URISyntaxException {
		Path resources = Path.of(Objects.requireNonNull(RedisScripts.class.getResource("acquire.lua")).toURI())
			.getParent();
		try (Stream<Path> files = Files.walk(resources)) {
			assertThat(files.filter((file) -> file.toString().endsWith(".lua"))).isNotEmpty()
				.allSatisfy((file) -> assertThat(ALL).extracting(LuaScript::source)
					.anyMatch((source) -> source.contains(read(file))));
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
