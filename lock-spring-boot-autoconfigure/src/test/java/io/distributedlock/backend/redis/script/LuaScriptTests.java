package io.distributedlock.backend.redis.script;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LuaScript}.
 */
class LuaScriptTests {

	@Test
	void digestIsThatOfTheServer() {
		// The answer of redis-server to SCRIPT LOAD "return 1".
		assertThat(LuaScript.of("one", "return 1").sha1()).isEqualTo("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
	}

}
