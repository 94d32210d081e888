package io.distributedlock.backend.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.RedisKeys;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;

/**
 * What is asked of the server, as calls of scripts.
 */
final class Scripts {

	private static final String NONE = "";

	private final RedisKeys keys;

	private final String instance;

	private final long retention;

	private final int minReplicaAcks;

	private final boolean quarantine;

	Scripts(RedisLockSettings settings) {
		this.keys = new RedisKeys(settings.keyPrefix());
		this.instance = "|" + settings.instanceId();
		this.retention = settings.tokenRetention().toMillis();
		this.minReplicaAcks = settings.minReplicaAcks();
		this.quarantine = settings.failoverQuarantine();
	}

	RedisKeys keys() {
		return this.keys;
	}

	ScriptCall acquire(String key, LeaseRequest request) {
		Instant tick = request.tick();
		return ScriptCall
			.of(RedisScripts.ACQUIRE, this.keys.all(key), value(request.ownerId()), request.ttl().toMillis(),
					request.span(), (tick != null) ? tick.toEpochMilli() : NONE,
					request.waiting() ? Pauses.MARK.toMillis() : 0, this.retention)
			.with(acks(request.timeout()));
	}

	/**
	 * Leave time to the answer, even where a server that did not know the script makes
	 * two waits of it.
	 */
	private ScriptCall.@Nullable Acks acks(Duration timeout) {
		return (this.minReplicaAcks > 0) ? new ScriptCall.Acks(this.minReplicaAcks, timeout.dividedBy(3).plusMillis(1))
				: null;
	}

	ScriptCall release(LeaseGrant grant, Duration cooldown) {
		return release(this.keys.all(grant.target().key()), grant, cooldown);
	}

	/**
	 * Release what may be held by the lock's key alone: the owner id is compared, and
	 * nobody else has it.
	 */
	ScriptCall releaseByLockAlone(LeaseGrant grant, Duration cooldown) {
		return release(List.of(this.keys.lock(grant.target().key())), grant, cooldown);
	}

	private ScriptCall release(List<byte[]> names, LeaseGrant grant, Duration cooldown) {
		return ScriptCall.of(RedisScripts.RELEASE, names, value(grant.ownerId()), grant.token().last(),
				millis(cooldown), this.keys.channel(), names.get(0));
	}

	ScriptCall abandon(Orphan orphan) {
		return abandon(orphan, this.keys.all(orphan.target().key()));
	}

	ScriptCall abandonByLockAlone(Orphan orphan) {
		return abandon(orphan, List.of(this.keys.lock(orphan.target().key())));
	}

	private ScriptCall abandon(Orphan orphan, List<byte[]> names) {
		return ScriptCall.of(RedisScripts.RELEASE, names, value(orphan.ownerId()), NONE, 0, this.keys.channel(),
				names.get(0));
	}

	ScriptCall renew(List<Renewal> renewals) {
		List<byte[]> names = new ArrayList<>(renewals.size());
		List<Object> arguments = new ArrayList<>(2 * renewals.size() + 1);
		arguments.add(NONE);
		for (Renewal renewal : renewals) {
			names.add(this.keys.lock(renewal.grant().target().key()));
			arguments.add(value(renewal.grant().ownerId()));
			arguments.add(millis(renewal.ttl()));
		}
		if (this.quarantine) {
			// What a server has forgotten is put back with them.
			renewals.forEach((renewal) -> arguments.add(renewal.grant().token().last()));
			arguments.add(this.retention);
		}
		return ScriptCall.of(RedisScripts.RENEW, names, arguments.toArray());
	}

	/**
	 * Add a wait for replicas to the last of some calls that are sent together over one
	 * connection: it counts for what was written before, too.
	 * @param renewals the calls
	 * @param timeout the time of the calls
	 */
	List<ScriptCall> withAcks(List<ScriptCall> renewals, Duration timeout) {
		List<ScriptCall> all = new ArrayList<>(renewals);
		int last = all.size() - 1;
		all.set(last, all.get(last).with(acks(timeout)));
		return all;
	}

	boolean waitsForReplicas() {
		return this.minReplicaAcks > 0;
	}

	ScriptCall find(String key) {
		return ScriptCall.of(RedisScripts.FIND, this.keys.all(key).subList(0, 2));
	}

	ScriptCall forceRelease(String key, Duration cooldown) {
		List<byte[]> names = this.keys.all(key);
		return ScriptCall.of(RedisScripts.FORCE_RELEASE, List.of(names.get(0), names.get(2)), millis(cooldown),
				this.keys.channel(), names.get(0));
	}

	ScriptCall probe() {
		return ScriptCall.of(RedisScripts.PROBE, List.of(this.keys.lock("probe")), this.keys.channel());
	}

	ScriptCall info(String section) {
		return ScriptCall.of(RedisScripts.INFO, List.of(this.keys.lock(section)), section);
	}

	private String value(OwnerId ownerId) {
		return ownerId.value() + this.instance;
	}

	/**
	 * Round up, so that a lock stays taken for as long as was asked.
	 */
	private static long millis(Duration duration) {
		return duration.plusNanos(999_999).toMillis();
	}

}
