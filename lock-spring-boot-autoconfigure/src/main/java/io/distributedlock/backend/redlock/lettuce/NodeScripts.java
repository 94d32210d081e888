package io.distributedlock.backend.redlock.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redlock.NodeHighWaterMark;
import io.distributedlock.backend.redlock.NodeSession;

/**
 * What is asked of a node, as calls of scripts. Those of a single Redis serve where the
 * logic is the same. All but the listing of keys answer {@code {answer, seconds,
 * microseconds}}, with the node's TIME taken in the same step.
 */
final class NodeScripts {

	private static final String FORMS = own("forms").source();

	private static final LuaScript IDENTIFY = timed(own("identify"));

	private static final LuaScript STATE = timed(own("state"));

	private static final LuaScript CHANGE_STATE = timed(own("change-state"));

	private static final LuaScript MARK = timed(own("mark"));

	private static final LuaScript ACQUIRE = timed(own("acquire"));

	private static final LuaScript RENEW = timed(own("renew"));

	private static final LuaScript REINSTALL = timed(own("reinstall"));

	private static final LuaScript RELEASE = timed(own("release"));

	private static final LuaScript FIND = timed(own("find"));

	private static final LuaScript FORCE_RELEASE = timed(own("force-release"));

	/**
	 * What a node has to know before it is asked anything.
	 */
	static final List<LuaScript> ALL = List.of(IDENTIFY, STATE, CHANGE_STATE, MARK, ACQUIRE, RENEW, REINSTALL, RELEASE,
			FIND, FORCE_RELEASE, LuaScript.SCAN);

	private static final int PAGE = 1000;

	private static final String NONE = "";

	private final RedisKeys keys;

	private final byte[] state;

	private final byte[] marks;

	NodeScripts(RedisKeys keys) {
		this.keys = keys;
		this.state = keys.beside("redlock:state");
		this.marks = keys.beside("redlock:mark");
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

	/**
	 * Return what the names of all keys and channels begin with.
	 */
	String prefix() {
		return this.keys.prefix();
	}

	byte[] channel() {
		return this.keys.channel();
	}

	Optional<String> key(byte[] name) {
		return this.keys.key(name);
	}

	ScriptCall identify() {
		return ScriptCall.of(IDENTIFY, List.of());
	}

	ScriptCall state() {
		return ScriptCall.of(STATE, List.of(this.state));
	}

	ScriptCall changeState(@Nullable String expected, String next, NodeHighWaterMark atLeast) {
		return ScriptCall.of(CHANGE_STATE, List.of(this.state, this.marks), (expected != null) ? expected : NONE, next,
				atLeast.token(), atLeast.tick());
	}

	ScriptCall mark(String expected) {
		return ScriptCall.of(MARK, List.of(this.state, this.marks), expected);
	}

	ScriptCall acquire(NodeSession.VoteRequest request) {
		List<byte[]> names = new ArrayList<>(this.keys.all(request.key()));
		names.add(this.state);
		names.add(this.marks);
		return ScriptCall.of(ACQUIRE, names, request.state(), request.floor(), request.tickFloor(), request.value(),
				request.ttlMillis(), request.first(), request.span(), text(request.tick()), request.markMillis(),
				request.retentionMillis());
	}

	ScriptCall renew(String expected, List<NodeSession.HeldLock> locks) {
		List<byte[]> names = new ArrayList<>(2 * locks.size() + 1);
		List<Object> arguments = new ArrayList<>(3 * locks.size() + 1);
		arguments.add(expected);
		for (NodeSession.HeldLock lock : locks) {
			names.addAll(lockAndCounter(lock.key()));
			arguments.add(lock.value());
			arguments.add(lock.ttlMillis());
			arguments.add(lock.last());
		}
		names.add(this.state);
		return ScriptCall.of(RENEW, names, arguments.toArray());
	}

	ScriptCall reinstall(String expected, NodeSession.HeldLock lock) {
		List<byte[]> names = new ArrayList<>(lockAndCounter(lock.key()));
		names.add(this.state);
		return ScriptCall.of(REINSTALL, names, expected, lock.value(), lock.ttlMillis(), lock.last());
	}

	ScriptCall release(NodeSession.ReleaseRequest release) {
		List<byte[]> names = this.keys.all(release.key());
		return ScriptCall.of(RELEASE, names, release.value(), release.cooldownMillis(), text(release.withdrawnTick()),
				release.notifiesWaiters() ? this.keys.channel() : NONE, names.get(0));
	}

	ScriptCall find(String key) {
		return ScriptCall.of(FIND, lockAndCounter(key));
	}

	private List<byte[]> lockAndCounter(String key) {
		return this.keys.all(key).subList(0, 2);
	}

	ScriptCall forceRelease(String key, long cooldownMillis) {
		List<byte[]> names = this.keys.all(key);
		return ScriptCall.of(FORCE_RELEASE, List.of(names.get(0), names.get(2)), cooldownMillis, this.keys.channel(),
				names.get(0));
	}

	ScriptCall page(String cursor) {
		return ScriptCall.of(LuaScript.SCAN, List.of(), cursor, this.keys.pattern(), PAGE);
	}

	private static Object text(@Nullable Long tick) {
		return (tick != null) ? tick : NONE;
	}

}
