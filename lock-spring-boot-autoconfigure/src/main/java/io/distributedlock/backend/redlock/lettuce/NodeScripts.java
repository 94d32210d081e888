package io.distributedlock.backend.redlock.lettuce;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.backend.redis.script.LuaScript;

/**
 * Contains the scripts that nodes run. All but the listing of keys return the node's
 * TIME, taken in the same step: {@code {answer, seconds, microseconds}}, and
 * {@code {microseconds, answer, ...}} for votes and releases.
 */
final class NodeScripts {

	private static final String ANSWER = "return { answered, time[1], time[2] }\n";

	private static final String FORMS = own("forms");

	private static final String TIME = own("time");

	private static final String MEMBERS = own("members");

	static final LuaScript IDENTIFY = timed("identify");

	static final LuaScript STATE = timed("state");

	static final LuaScript CHANGE_STATE = timed("change-state");

	static final LuaScript MARK = timed("mark");

	/**
	 * One vote, on one lock or on several.
	 */
	static final LuaScript ACQUIRE = LuaScript.of("acquire",
			join(FORMS, TIME, own("vote"), own("acquire"), "return { micros, acquire(3, 4, (#KEYS - 2) / 3) }\n"));

	/**
	 * One release, of one lock or of several.
	 */
	static final LuaScript RELEASE = LuaScript.of("release",
			join(TIME, own("release"), "return { micros, release(1, 0, #KEYS / 3) }\n"));

	/**
	 * Several votes and releases, each of one lock.
	 */
	static final LuaScript CALLS = LuaScript.of("calls",
			join(FORMS, TIME, own("vote"), own("acquire"), own("release"), own("calls")));

	static final LuaScript RENEW = timed("renew");

	static final LuaScript REINSTALL = timed("reinstall");

	static final LuaScript FIND = ofMembers("", "find");

	static final LuaScript FORCE_RELEASE = ofMembers("", "force-release");

	/**
	 * One vote on a member of one group or of several.
	 */
	static final LuaScript ENTER = ofMembers(own("vote"), "enter");

	static final LuaScript RENEW_MEMBERS = ofMembers("", "renew-members");

	static final LuaScript REINSTALL_MEMBER = ofMembers("", "reinstall-member");

	static final LuaScript LEAVE = ofMembers("", "leave");

	static final LuaScript DOOR = ofMembers("", "door");

	/**
	 * The scripts that a node has to load before its first call.
	 */
	static final List<LuaScript> ALL = List.of(IDENTIFY, STATE, CHANGE_STATE, MARK, ACQUIRE, RELEASE, CALLS, RENEW,
			REINSTALL, FIND, FORCE_RELEASE, ENTER, RENEW_MEMBERS, REINSTALL_MEMBER, LEAVE, DOOR, LuaScript.SCAN);

	private NodeScripts() {
	}

	private static String own(String name) {
		return LuaScript.read(NodeScripts.class, name).source();
	}

	private static String join(String... parts) {
		return Arrays.stream(parts).collect(Collectors.joining());
	}

	private static LuaScript timed(String name) {
		return LuaScript.of(name, join(FORMS, asFunction(name), "local time = redis.call('TIME')\n", ANSWER));
	}

	/**
	 * Create a script for members of groups, which compares expiries with the time.
	 */
	private static LuaScript ofMembers(String shared, String name) {
		return LuaScript.of(name, join(FORMS, TIME, shared, MEMBERS, asFunction(name), ANSWER));
	}

	private static String asFunction(String name) {
		return "local function answer()\n" + own(name) + "\nend\n"
				+ "local answered = answer()\nif answered.err then\n\treturn answered\nend\n";
	}

}
