package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;

/**
 * Renews and releases leases of members while a Cluster moves their slot, by scripts with
 * one key each.
 * <p>
 * The lock of a group must not end before a member. A renewal therefore counts only if
 * the lock was lengthened after the lease: whatever a release in between has made of the
 * lock, it then lasts long enough. The lock is asked for before as well, because the
 * members of a group that was taken away stay until the next one begins.
 *
 * @param link the link to the server
 * @param requests encodes the calls
 */
record MovingMembers(RedisLink link, RedisGroupRequests requests) {

	private static final List<Object> ENDED = List.of(0L);

	/**
	 * Renew a lease.
	 * @param renewal the renewal
	 * @param acks the wait for replicas after the last write, or {@code null}
	 * @param deadline when the call has to be over
	 * @return what the script that renews the lease in one step would return
	 */
	CompletionStage<List<Object>> renew(Renewal renewal, ScriptCall.@Nullable Acks acks, CallDeadline deadline) {
		LockTarget target = renewal.grant().target();
		return ask(target, deadline.left())
			.thenCompose((asked) -> isYes(asked)
					? this.link.run(this.requests.renewMemberAlone(renewal), deadline.left()) : done(ENDED))
			.thenCompose((renewed) -> {
				if (!isYes(renewed) || renewal.ttl().isZero()) {
					return done(renewed);
				}
				List<ScriptCall> calls = List.of(this.requests.renewTokensAlone(renewal),
						this.requests.renewLockAlone(target, renewal.ttl()).with(acks));
				return this.link.runAll(calls, deadline.left()).get(1);
			});
	}

	/**
	 * Release a lease. If its slot is moving, the lock stays until the latest end that it
	 * has had, because others may enter the group meanwhile.
	 * @param grant the lease
	 * @param call the script that releases it in one step, with the members as its first
	 * key
	 * @param timeout how long each script may take
	 * @return what the script returns
	 */
	CompletionStage<List<Object>> release(LeaseGrant grant, ScriptCall call, Duration timeout) {
		return this.link.run(call, timeout).exceptionallyCompose((fault) -> {
			if (!RedisFaults.isSlotMoving(fault)) {
				return CompletableFuture.failedStage(fault);
			}
			return ask(grant.target(), timeout)
				.thenCompose((asked) -> isYes(asked) ? this.link.run(call.byFirstKey(), timeout) : done(ENDED));
		});
	}

	private CompletionStage<List<Object>> ask(LockTarget target, Duration timeout) {
		return this.link.run(this.requests.renewLockAlone(target, Duration.ZERO), timeout);
	}

	private static boolean isYes(List<Object> reply) {
		return ScriptReplies.number(reply.get(0)) == 1;
	}

	private static CompletionStage<List<Object>> done(List<Object> reply) {
		return CompletableFuture.completedStage(reply);
	}

}
