package io.distributedlock.backend.redis;

import java.util.Set;

import io.distributedlock.backend.redis.script.LuaScript;

/**
 * The scripts of this store. Those that are guarded compare the incarnation of the server
 * with the expected one first.
 */
final class RedisScripts {

	/**
	 * Takes a lock.
	 */
	static final LuaScript ACQUIRE = read("acquire");

	/**
	 * Releases a lock.
	 */
	static final LuaScript RELEASE = read("release");

	/**
	 * Lengthens leases.
	 */
	static final LuaScript RENEW = read("renew");

	/**
	 * Returns the holder of a lock.
	 */
	static final LuaScript FIND = read("find");

	/**
	 * Takes a lock away.
	 */
	static final LuaScript FORCE_RELEASE = read("force-release");

	/**
	 * Sends a message that names no lock.
	 */
	static final LuaScript PROBE = read("probe");

	/**
	 * Reads what a server reports about itself.
	 */
	static final LuaScript INFO = read("info");

	/**
	 * Returns whether the server grants locks.
	 */
	static final LuaScript QUARANTINE = LuaScript.join(RedisScripts.class, "quarantine", "incarnation", "quarantine");

	/**
	 * Takes a lock.
	 */
	static final LuaScript GUARDED_ACQUIRE = guarded("acquire");

	/**
	 * Lengthens leases.
	 */
	static final LuaScript GUARDED_RENEW = guarded("renew");

	/**
	 * Lengthens leases, and restores missing ones.
	 */
	static final LuaScript REINSTALL = guarded("reinstall");

	/**
	 * Releases a lock that the server may have forgotten.
	 */
	static final LuaScript RELEASE_FORGOTTEN = guarded("release-forgotten");

	private static final Set<LuaScript> KEEPING = Set.of(RENEW, RELEASE, QUARANTINE, GUARDED_RENEW, REINSTALL,
			RELEASE_FORGOTTEN);

	private RedisScripts() {
	}

	private static LuaScript read(String name) {
		return LuaScript.read(RedisScripts.class, name);
	}

	private static LuaScript guarded(String name) {
		return LuaScript.join(RedisScripts.class, "guarded " + name, "incarnation", "guard", name);
	}

	/**
	 * Return whether a script keeps or ends existing leases. Such a script must not queue
	 * behind attempts.
	 */
	static boolean keepsLeases(LuaScript script) {
		return KEEPING.contains(script);
	}

}
