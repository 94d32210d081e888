package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;

/**
 * Encodes requests of members of groups as calls of scripts. Only this class knows the
 * order of their keys and arguments, which the scripts read by position.
 */
final class RedisGroupRequests {

	private static final String SHARED = "shared";

	private static final String PERMITS = "permits";

	private final RedisLockSettings settings;

	private final RedisKeys keys;

	RedisGroupRequests(RedisLockSettings settings, RedisKeys keys) {
		this.settings = settings;
		this.keys = keys;
	}

	/**
	 * Return the kind of group whose members have a lock.
	 * @param value the value of the lock
	 * @return the mode of the members, or {@code null} if it is the lock of no group
	 */
	static @Nullable LockMode mode(String value) {
		return switch (value) {
			case SHARED -> LockMode.SHARED;
			case PERMITS -> LockMode.PERMITS;
			default -> null;
		};
	}

	private static String value(LockTarget target) {
		return switch (target.mode()) {
			case SHARED -> SHARED;
			case PERMITS -> PERMITS;
			case EXCLUSIVE -> throw new IllegalArgumentException(target + " is not the target of a member");
		};
	}

	ScriptCall enter(LuaScript script, LockTarget target, LeaseRequest request) {
		// Tokens of permits are never passed on.
		int span = (target.mode() == LockMode.PERMITS) ? 1 : request.span();
		return ScriptCall.of(script, this.keys.allOfGroup(target.key()), member(request.ownerId()),
				request.ttl().toMillis(), span, value(target), request.waiting() ? PollDelay.MARK.toMillis() : 0,
				this.settings.tokenRetention().toMillis(), request.permits());
	}

	/**
	 * Let an exclusive attempt close the door of a group that it meets.
	 */
	ScriptCall closing(ScriptCall attempt, String key, DoorToClose door) {
		return attempt.and(names(key).door(), door.entry(), door.longestDelay().toMillis());
	}

	ScriptCall release(LockTarget target, OwnerId ownerId, Object token, long cooldownMillis) {
		Names names = names(target);
		return ScriptCall.of(RedisScripts.RELEASE_MEMBER,
				List.of(names.members(), names.lock(), names.tokens(), names.door(), names.mark()), member(ownerId),
				value(target), token, cooldownMillis, this.keys.channel(), names.lock());
	}

	/**
	 * Release a member that a server with a state, which is still to be added, may have
	 * forgotten.
	 */
	ScriptCall releaseForgotten(LeaseGrant grant, Duration cooldown) {
		Names names = names(grant.target());
		return ScriptCall.of(RedisScripts.RELEASE_FORGOTTEN_MEMBER,
				List.of(names.lock(), names.members(), names.tokens()), member(grant.ownerId()), value(grant.target()),
				RedisRequests.millis(cooldown));
	}

	ScriptCall renew(LuaScript script, RenewalBatch batch) {
		List<byte[]> all = new ArrayList<>();
		List<Object> arguments = new ArrayList<>();
		for (Renewal renewal : batch.renewals()) {
			Names names = names(renewal.grant().target());
			all.addAll(List.of(names.lock(), names.members(), names.tokens(), names.door()));
			arguments.addAll(lease(renewal));
		}
		return ScriptCall.of(script, all, arguments.toArray()).with(batch.acks());
	}

	/**
	 * Renew members, and put back those that the server has forgotten.
	 */
	ScriptCall reinstall(RenewalBatch batch) {
		List<byte[]> all = new ArrayList<>();
		List<Object> arguments = new ArrayList<>();
		arguments.add(this.settings.tokenRetention().toMillis());
		for (Renewal renewal : batch.renewals()) {
			LeaseGrant grant = renewal.grant();
			Names names = names(grant.target());
			all.addAll(List.of(names.lock(), names.members(), names.tokens(), names.counter()));
			arguments.addAll(lease(renewal));
			arguments.add(grant.token().last() + "/" + grant.token().count());
		}
		return ScriptCall.of(RedisScripts.REINSTALL_MEMBERS, all, arguments.toArray()).with(batch.acks());
	}

	private List<Object> lease(Renewal renewal) {
		LeaseGrant grant = renewal.grant();
		return List.of(value(grant.target()), member(grant.ownerId()), RedisRequests.millis(renewal.ttl()));
	}

	/**
	 * Lengthen the lock of a group, which is not done for its members at the same time
	 * while their slot is moving.
	 * @param ttl for how long; zero only asks
	 */
	ScriptCall renewLockAlone(LockTarget target, Duration ttl) {
		return ScriptCall.of(RedisScripts.RENEW, List.of(names(target).lock()), "", value(target),
				RedisRequests.millis(ttl));
	}

	/**
	 * Lengthen the lease of a member, without the lock.
	 */
	ScriptCall renewMemberAlone(Renewal renewal) {
		return ScriptCall.of(RedisScripts.RENEW_ALONE, List.of(names(renewal.grant().target()).members()),
				member(renewal.grant().ownerId()), RedisRequests.millis(renewal.ttl()));
	}

	/**
	 * Keep the tokens of a group.
	 */
	ScriptCall renewTokensAlone(Renewal renewal) {
		return ScriptCall.of(RedisScripts.RENEW_ALONE, List.of(names(renewal.grant().target()).tokens()), "",
				RedisRequests.millis(renewal.ttl()));
	}

	/**
	 * Find all members of the group whose lock has a value.
	 */
	ScriptCall find(String key, String value) {
		Names names = names(key);
		return ScriptCall.of(RedisScripts.FIND_MEMBERS, List.of(names.lock(), names.members(), names.tokens()), value);
	}

	/**
	 * Take a lock away from its holder, or from all members of a group.
	 */
	ScriptCall forceRelease(String key, Duration cooldown) {
		Names names = names(key);
		return ScriptCall.of(RedisScripts.FORCE_RELEASE,
				List.of(names.lock(), names.mark(), names.members(), names.tokens()), RedisRequests.millis(cooldown),
				this.keys.channel(), names.lock());
	}

	/**
	 * Open the door that a waiter has closed.
	 */
	ScriptCall openDoor(String key, String waiter) {
		Names names = names(key);
		return ScriptCall.of(RedisScripts.OPEN_DOOR, List.of(names.door(), names.mark()), waiter, this.keys.channel(),
				names.lock());
	}

	private String member(OwnerId ownerId) {
		return RedisRequests.value(ownerId, this.settings);
	}

	private Names names(LockTarget target) {
		return names(target.key());
	}

	private Names names(String key) {
		List<byte[]> all = this.keys.allOfGroup(key);
		return new Names(all.get(0), all.get(1), all.get(2), all.get(3), all.get(4), all.get(5));
	}

	/**
	 * The names of what is stored for a key.
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record Names(byte[] lock, byte[] counter, byte[] mark, byte[] members, byte[] tokens, byte[] door) {

	}

}
