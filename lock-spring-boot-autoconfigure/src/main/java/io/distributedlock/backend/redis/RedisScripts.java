package io.distributedlock.backend.redis;

import java.util.Set;
import java.util.stream.Stream;

import io.distributedlock.backend.redis.script.LuaScript;

/**
 * The scripts of this store. Those that are guarded compare the incarnation of the server
 * with the expected one first.
 */
final class RedisScripts {

	private static final String[] ACQUIRING = { "counter", "acquire", "mint", "granted" };

	private static final String[] ENTERING = { "group", "counter", "enter", "mint", "entered" };

	private static final String[] ACQUIRING_SEVERAL = { "several", "counter", "look", "attempt", "counter", "acquire",
			"mint", "granted", "all-or-none" };

	private static final String[] ENTERING_SEVERAL = { "group", "several", "counter", "look-group", "attempt",
			"counter", "enter", "mint", "entered", "all-or-none" };

	/**
	 * Takes a lock.
	 */
	static final LuaScript ACQUIRE = join("acquire", ACQUIRING);

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
	 * Enters a group.
	 */
	static final LuaScript ENTER = join("enter", ENTERING);

	/**
	 * Takes several locks.
	 */
	static final LuaScript ACQUIRE_SEVERAL = join("acquire-several", ACQUIRING_SEVERAL);

	/**
	 * Enters several groups.
	 */
	static final LuaScript ENTER_SEVERAL = join("enter-several", ENTERING_SEVERAL);

	/**
	 * Releases the lease of a member.
	 */
	static final LuaScript RELEASE_MEMBER = join("release-member", "group", "release-member");

	/**
	 * Lengthens leases of members.
	 */
	static final LuaScript RENEW_MEMBERS = join("renew-members", "group", "renew-members");

	/**
	 * Lengthens what is stored for a member under one key.
	 */
	static final LuaScript RENEW_ALONE = join("renew-alone", "group", "renew-alone");

	/**
	 * Returns the members of a group.
	 */
	static final LuaScript FIND_MEMBERS = join("find-members", "group", "find-members");

	/**
	 * Opens the door of a group for new members.
	 */
	static final LuaScript OPEN_DOOR = join("open-door", "group", "open-door");

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
	static final LuaScript QUARANTINE = join("quarantine", "incarnation", "quarantine");

	/**
	 * Takes a lock.
	 */
	static final LuaScript GUARDED_ACQUIRE = ofState("acquire", ACQUIRING);

	/**
	 * Enters a group.
	 */
	static final LuaScript GUARDED_ENTER = ofState("enter", ENTERING);

	/**
	 * Takes several locks.
	 */
	static final LuaScript GUARDED_ACQUIRE_SEVERAL = ofState("acquire-several", ACQUIRING_SEVERAL);

	/**
	 * Enters several groups.
	 */
	static final LuaScript GUARDED_ENTER_SEVERAL = ofState("enter-several", ENTERING_SEVERAL);

	/**
	 * Lengthens leases.
	 */
	static final LuaScript GUARDED_RENEW = guarded("renew", "renew");

	/**
	 * Lengthens leases of members.
	 */
	static final LuaScript GUARDED_RENEW_MEMBERS = ofState("renew-members", "group", "renew-members");

	/**
	 * Lengthens leases, and restores missing ones.
	 */
	static final LuaScript REINSTALL = guarded("reinstall", "raise", "reinstall");

	/**
	 * Lengthens leases of members, and restores missing ones.
	 */
	static final LuaScript REINSTALL_MEMBERS = ofState("reinstall-members", "group", "raise", "reinstall-members");

	/**
	 * Releases a lock that the server may have forgotten.
	 */
	static final LuaScript RELEASE_FORGOTTEN = guarded("release-forgotten", "release-forgotten");

	/**
	 * Releases the lease of a member that the server may have forgotten.
	 */
	static final LuaScript RELEASE_FORGOTTEN_MEMBER = ofState("release-forgotten-member", "group",
			"release-forgotten-member");

	private static final Set<LuaScript> ATTEMPTS = Set.of(ACQUIRE, GUARDED_ACQUIRE, ENTER, GUARDED_ENTER);

	private static final Set<LuaScript> KEEPING = Set.of(RENEW, RELEASE, QUARANTINE, GUARDED_RENEW, REINSTALL,
			RELEASE_FORGOTTEN, RENEW_MEMBERS, RENEW_ALONE, RELEASE_MEMBER, GUARDED_RENEW_MEMBERS, REINSTALL_MEMBERS,
			RELEASE_FORGOTTEN_MEMBER);

	private RedisScripts() {
	}

	private static LuaScript read(String name) {
		return LuaScript.read(RedisScripts.class, name);
	}

	private static LuaScript join(String name, String... parts) {
		return LuaScript.join(RedisScripts.class, name, parts);
	}

	private static LuaScript guarded(String name, String... parts) {
		return join("guarded " + name,
				Stream.concat(Stream.of("incarnation", "guard"), Stream.of(parts)).toArray(String[]::new));
	}

	private static LuaScript ofState(String name, String... parts) {
		return guarded(name, Stream.concat(Stream.of("state"), Stream.of(parts)).toArray(String[]::new));
	}

	/**
	 * Return whether a script attempts to get a lease. If it finds a value of another
	 * type, it ends before it has granted anything.
	 */
	static boolean isAttempt(LuaScript script) {
		return ATTEMPTS.contains(script);
	}

	/**
	 * Return whether a script keeps or ends existing leases. Such a script must not queue
	 * behind attempts.
	 */
	static boolean keepsLeases(LuaScript script) {
		return KEEPING.contains(script);
	}

}
