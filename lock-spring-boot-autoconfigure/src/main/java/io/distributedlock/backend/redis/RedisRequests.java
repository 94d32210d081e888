package io.distributedlock.backend.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.notification.PollDelay;
import io.distributedlock.backend.redis.script.LuaScript;
import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;

/**
 * Encodes requests as calls of scripts. Only this class, and {@link RedisGroupRequests}
 * for members of groups, know the order of keys and arguments, which the scripts read by
 * position.
 */
final class RedisRequests {

	private static final String NONE = "";

	private final RedisLockSettings settings;

	private final RedisKeys keys;

	private final RedisGroupRequests groups;

	RedisRequests(RedisLockSettings settings) {
		this.settings = settings;
		this.keys = new RedisKeys(settings.keyPrefix());
		this.groups = new RedisGroupRequests(settings, this.keys);
	}

	/**
	 * Return the requests that only members of groups have.
	 */
	RedisGroupRequests groups() {
		return this.groups;
	}

	RedisKeys keys() {
		return this.keys;
	}

	/**
	 * Return the default timeout of a call.
	 */
	Duration callTimeout() {
		return this.settings.callTimeout();
	}

	/**
	 * Take locks, or enter groups: all or none.
	 * @param door the doors that the attempt closes if it meets a group, or {@code null}
	 */
	ScriptCall acquire(LockTarget target, LeaseRequest request, @Nullable DoorToClose door) {
		ScriptCall call;
		if (target.keys().size() > 1) {
			call = acquireSeveral(target.isGroup() ? RedisScripts.ENTER_SEVERAL : RedisScripts.ACQUIRE_SEVERAL, target,
					request, door);
		}
		else {
			call = target.isGroup() ? this.groups.enter(RedisScripts.ENTER, target, request)
					: acquire(RedisScripts.ACQUIRE, target.key(), request, tick(request), door);
		}
		return attempt(call, request);
	}

	/**
	 * Take locks, or enter groups, if the server has this state.
	 */
	ScriptCall acquireGuarded(LockTarget target, LeaseRequest request, @Nullable DoorToClose door, String state) {
		ScriptCall call;
		if (target.keys().size() > 1) {
			call = acquireSeveral(
					target.isGroup() ? RedisScripts.GUARDED_ENTER_SEVERAL : RedisScripts.GUARDED_ACQUIRE_SEVERAL,
					target, request, door);
		}
		else {
			call = target.isGroup() ? this.groups.enter(RedisScripts.GUARDED_ENTER, target, request)
					: acquire(RedisScripts.GUARDED_ACQUIRE, target.key(), request, tick(request), door);
		}
		return guarded(attempt(call, request), state);
	}

	private static Object tick(LeaseRequest request) {
		Instant tick = request.tick();
		return (tick != null) ? tick.toEpochMilli() : NONE;
	}

	private ScriptCall acquire(LuaScript script, String key, LeaseRequest request, Object tick,
			@Nullable DoorToClose door) {
		ScriptCall call = ScriptCall.of(script, this.keys.all(key), value(request.ownerId()), request.ttl().toMillis(),
				request.span(), tick, request.waiting() ? PollDelay.MARK.toMillis() : 0,
				this.settings.tokenRetention().toMillis());
		return (door != null) ? this.groups.closing(call, key, door) : call;
	}

	/**
	 * Combine the calls for each key. They have the same arguments, because the tick
	 * belongs to the last key only.
	 */
	private ScriptCall acquireSeveral(LuaScript script, LockTarget target, LeaseRequest request,
			@Nullable DoorToClose door) {
		List<ScriptCall> each = target.keys()
			.stream()
			.map((key) -> target.isGroup() ? this.groups.enter(script, LockTarget.of(key, target.mode()), request)
					: acquire(script, key, request, NONE, door))
			.toList();
		List<Object> arguments = new ArrayList<>();
		arguments.add(each.get(0).keys().size());
		arguments.add(target.isGroup() ? NONE : tick(request));
		arguments.addAll(each.get(0).arguments());
		return ScriptCall.of(script, each.stream().flatMap((call) -> call.keys().stream()).toList(),
				arguments.toArray());
	}

	private ScriptCall attempt(ScriptCall call, LeaseRequest request) {
		return call.with(acks(request.timeout())).awaited(request.patience());
	}

	/**
	 * Return the wait for replicas that follows a script, if one is configured. It leaves
	 * time for the answer even if there are two waits, because the server did not know
	 * the script at first.
	 */
	ScriptCall.@Nullable Acks acks(Duration timeout) {
		int number = this.settings.minReplicaAcks();
		return (number > 0) ? new ScriptCall.Acks(number, timeout.dividedBy(3).plusMillis(1)) : null;
	}

	ScriptCall release(LeaseGrant grant, Duration cooldown) {
		return release(grant.target(), grant.ownerId(), grant.token().last(), millis(cooldown));
	}

	ScriptCall abandon(Orphan orphan) {
		return release(orphan.target(), orphan.ownerId(), NONE, 0);
	}

	private ScriptCall release(LockTarget target, OwnerId ownerId, Object token, long cooldownMillis) {
		if (target.isGroup()) {
			return this.groups.release(target, ownerId, token, cooldownMillis);
		}
		List<byte[]> names = this.keys.all(target.key());
		return ScriptCall.of(RedisScripts.RELEASE, names, value(ownerId), token, cooldownMillis, this.keys.channel(),
				names.get(0));
	}

	/**
	 * Release a lock that a server with this state may have forgotten.
	 */
	ScriptCall releaseForgotten(LeaseGrant grant, Duration cooldown, String state) {
		if (grant.target().isGroup()) {
			return guarded(this.groups.releaseForgotten(grant, cooldown), state);
		}
		return guarded(ScriptCall.of(RedisScripts.RELEASE_FORGOTTEN, lockAlone(grant.target().key()),
				value(grant.ownerId()), millis(cooldown)), state);
	}

	/**
	 * Renew leases.
	 */
	ScriptCall renew(RenewalBatch batch) {
		if (batch.isOfGroups()) {
			return this.groups.renew(RedisScripts.RENEW_MEMBERS, batch);
		}
		return ScriptCall.of(RedisScripts.RENEW, names(batch, 1), extensions(NONE, batch).toArray()).with(batch.acks());
	}

	/**
	 * Renew leases if the server has this state.
	 */
	ScriptCall renewGuarded(RenewalBatch batch, String state) {
		if (batch.isOfGroups()) {
			return guarded(this.groups.renew(RedisScripts.GUARDED_RENEW_MEMBERS, batch), state);
		}
		return renewGuarded(RedisScripts.GUARDED_RENEW, names(batch, 1), batch, state);
	}

	/**
	 * Renew leases if the server has this state, and put back those that it has
	 * forgotten.
	 */
	ScriptCall reinstall(RenewalBatch batch, String state) {
		if (batch.isOfGroups()) {
			return guarded(this.groups.reinstall(batch), state);
		}
		return renewGuarded(RedisScripts.REINSTALL, names(batch, 2), batch, state);
	}

	/**
	 * Return the names of locks, or of locks and their counters.
	 */
	private List<byte[]> names(RenewalBatch batch, int ofEach) {
		return batch.renewals()
			.stream()
			.flatMap((renewal) -> this.keys.all(renewal.grant().target().key()).stream().limit(ofEach))
			.toList();
	}

	private ScriptCall renewGuarded(LuaScript script, List<byte[]> names, RenewalBatch batch, String state) {
		List<Object> arguments = extensions(state, batch);
		batch.renewals().forEach((renewal) -> arguments.add(renewal.grant().token().last()));
		arguments.add(this.settings.tokenRetention().toMillis());
		return guarded(ScriptCall.of(script, names, arguments.toArray()).with(batch.acks()), state);
	}

	private List<Object> extensions(String state, RenewalBatch batch) {
		List<Object> arguments = new ArrayList<>();
		arguments.add(state);
		for (Renewal renewal : batch.renewals()) {
			arguments.add(value(renewal.grant().ownerId()));
			arguments.add(millis(renewal.ttl()));
		}
		return arguments;
	}

	/**
	 * Ask whether the server grants locks.
	 * @param name a name that no other quarantine has
	 * @param over the state of a quarantine that this client has seen for long enough, if
	 * there is one
	 */
	ScriptCall quarantine(String name, @Nullable String over) {
		return ScriptCall.of(RedisScripts.QUARANTINE, List.of(stateKey()), this.settings.maxTtl().toMillis(), name,
				(over != null) ? over : NONE);
	}

	ScriptCall find(String key) {
		return ScriptCall.of(RedisScripts.FIND, this.keys.all(key).subList(0, 2));
	}

	/**
	 * List a page of names of keys.
	 * @param primary the keys that route the script to a primary
	 * @param cursor the cursor at which the page begins
	 * @param count the approximate number of keys that the server looks at
	 */
	ScriptCall scan(List<byte[]> primary, String cursor, int count) {
		return ScriptCall.of(LuaScript.SCAN, primary, cursor, this.keys.pattern(), count);
	}

	ScriptCall forceRelease(String key, Duration cooldown) {
		return this.groups.forceRelease(key, cooldown);
	}

	ScriptCall probe() {
		return ScriptCall.of(RedisScripts.PROBE, lockAlone("probe"), this.keys.channel());
	}

	ScriptCall info(String section) {
		return ScriptCall.of(RedisScripts.INFO, lockAlone(section), section);
	}

	private List<byte[]> lockAlone(String key) {
		return List.of(this.keys.lock(key));
	}

	/**
	 * Let a script compare the state of the server. The key of the state and the expected
	 * state come last.
	 */
	private ScriptCall guarded(ScriptCall call, String state) {
		return call.and(stateKey(), state);
	}

	/**
	 * Return the name of the state. It has no brace, so it can't be the name of a lock.
	 */
	private byte[] stateKey() {
		return this.keys.beside("state");
	}

	private String value(OwnerId ownerId) {
		return value(ownerId, this.settings);
	}

	/**
	 * Return the value of the lock, or the name of the member, that an owner has.
	 */
	static String value(OwnerId ownerId, RedisLockSettings settings) {
		return ownerId.value() + "|" + settings.instanceId();
	}

	/**
	 * Return a time in milliseconds. It is rounded up, so that a lock stays taken for at
	 * least the requested time.
	 */
	static long millis(Duration duration) {
		return duration.plusNanos(999_999).toMillis();
	}

}
