package io.distributedlock.backend.redlock.lettuce;

import java.util.List;

import io.distributedlock.backend.redis.script.LuaScript;

/**
 * Contains the scripts that nodes run. All but the listing of keys return {@code {answer,
 * seconds, microseconds}}, with the node's TIME taken in the same step.
 */
final class NodeScripts {

	private static final String FORMS = own("forms").source();

	static final LuaScript IDENTIFY = timed(own("identify"));

	static final LuaScript STATE = timed(own("state"));

	static final LuaScript CHANGE_STATE = timed(own("change-state"));

	static final LuaScript MARK = timed(own("mark"));

	static final LuaScript ACQUIRE = timed(own("acquire"));

	static final LuaScript RENEW = timed(own("renew"));

	static final LuaScript REINSTALL = timed(own("reinstall"));

	static final LuaScript RELEASE = timed(own("release"));

	static final LuaScript FIND = timed(own("find"));

	static final LuaScript FORCE_RELEASE = timed(own("force-release"));

	/**
	 * The scripts that a node has to load before its first call.
	 */
	static final List<LuaScript> ALL = List.of(IDENTIFY, STATE, CHANGE_STATE, MARK, ACQUIRE, RENEW, REINSTALL, RELEASE,
			FIND, FORCE_RELEASE, LuaScript.SCAN);

	private NodeScripts() {
	}

	private static LuaScript own(String name) {
		return LuaScript.read(NodeScripts.class, name);
	}

	private static LuaScript timed(LuaScript script) {
		return LuaScript.of(script.name(),
				FORMS + "local function answer()\n" + script.source() + "\nend\n"
						+ "local answered = answer()\nif answered.err then\n\treturn answered\nend\n"
						+ "local time = redis.call('TIME')\nreturn { answered, time[1], time[2] }\n");
	}

}
