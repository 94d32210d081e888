package io.distributedlock.backend.redis;

import java.io.IOException;
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
			LuaScript.FIND, LuaScript.FORCE_RELEASE, LuaScript.SCAN, LuaScript.INFO);

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
	void everyResourceIsAScript() throws IOException, URISyntaxException {
		Path resources = Path.of(Objects.requireNonNull(LuaScript.class.getResource("acquire.lua")).toURI())
			.getParent();
		try (Stream<Path> files = Files.list(resources)) {
			assertThat(files.map((file) -> file.getFileName().toString()).filter((name) -> name.endsWith(".lua")))
				.containsExactlyInAnyOrderElementsOf(ALL.stream().map((script) -> script.name() + ".lua").toList());
		}
	}

}
