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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LuaScript}.
 */
class LuaScriptTests {

	private static final List<LuaScript> ALL = List.of(LuaScript.ACQUIRE, LuaScript.RELEASE, LuaScript.RENEW,
			LuaScript.FIND, LuaScript.FORCE_RELEASE, LuaScript.SCAN, LuaScript.PROBE, LuaScript.INFO,
			GuardedScripts.QUARANTINE, GuardedScripts.ACQUIRE, GuardedScripts.RENEW, GuardedScripts.REINSTALL,
			GuardedScripts.RELEASE_FORGOTTEN);

	@Test
	void digestIsThatOfTheServer() {
		// What redis-server says of SCRIPT LOAD "return 1".
		assertThat(LuaScript.of("one", "return 1").sha1()).isEqualTo("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
	}

	@Test
	void everyScriptTellsWhatComesInAndGoesOut() {
		assertThat(ALL).allSatisfy((script) -> assertThat(script.source()).startsWith("-- ")
			.contains("\n-- In:  KEYS  ")
			.contains("\n-- Out: {"));
	}

	@Test
	void everyResourceIsPartOfAScript() throws IOException, URISyntaxException {
		Path resources = Path.of(Objects.requireNonNull(LuaScript.class.getResource("acquire.lua")).toURI())
			.getParent();
		try (Stream<Path> files = Files.list(resources)) {
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
