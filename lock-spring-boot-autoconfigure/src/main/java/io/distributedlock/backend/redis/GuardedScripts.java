package io.distributedlock.backend.redis;

/**
 * The scripts that look at the incarnation of the server first.
 */
final class GuardedScripts {

	/**
	 * Tells whether the server grants locks.
	 */
	static final LuaScript QUARANTINE = LuaScript.load("quarantine", "incarnation", "quarantine");

	/**
	 * Takes a lock.
	 */
	static final LuaScript ACQUIRE = guarded("acquire");

	/**
	 * Lengthens leases.
	 */
	static final LuaScript RENEW = guarded("renew");

	/**
	 * Lengthens leases, and puts back those that are missing.
	 */
	static final LuaScript REINSTALL = guarded("reinstall");

	/**
	 * Releases a lock that may be missing.
	 */
	static final LuaScript RELEASE_FORGOTTEN = guarded("release-forgotten");

	private GuardedScripts() {
	}

	private static LuaScript guarded(String name) {
		return LuaScript.load("guarded " + name, "incarnation", "guard", name);
	}

}
