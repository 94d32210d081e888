package io.distributedlock.backend.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.QuarantineException;

/**
 * Runs the scripts of leases on a server that grants no locks while it is under
 * quarantine. During that time, renewals and releases treat a missing lock as still held
 * by its owner, because the server may have forgotten it. Each script is encoded once the
 * state of the server is known.
 */
final class QuarantinedLeaseCommands implements LeaseCommands {

	/**
	 * Returned by scripts if the server has another state. This is not an outcome of a
	 * renewal.
	 */
	private static final long OTHER_STATE = 4;

	private final PlainLeaseCommands plain;

	private final RedisLink link;

	private final RedisRequests requests;

	private final QuarantineWatch watch;

	private final long maxTtlMillis;

	private final LockClock clock;

	QuarantinedLeaseCommands(RedisLink link, RedisRequests requests, RedisLockSettings settings, LockClock clock,
			BackendListener listener) {
		this.plain = new PlainLeaseCommands(link, requests);
		this.link = link;
		this.requests = requests;
		this.maxTtlMillis = settings.maxTtl().toMillis();
		this.clock = clock;
		this.watch = new QuarantineWatch(link, requests, settings, clock, listener);
	}

	/**
	 * Ask whether the server grants locks.
	 */
	@Override
	public CompletionStage<?> ready() {
		return this.watch.look();
	}

	@Override
	public @Nullable Duration quarantine() {
		return this.watch.rest();
	}

	@Override
	public CompletionStage<List<Object>> acquire(LockTarget target, LeaseRequest request, @Nullable DoorToClose door,
			Duration timeout) {
		return guarded(List.of((state) -> acquire(target, request, door, state)), timeout).get(0);
	}

	private ScriptCall acquire(LockTarget target, LeaseRequest request, @Nullable DoorToClose door, ServerState state) {
		if (state instanceof ServerState.Quarantined quarantined) {
			throw refusal(quarantined.rest(this.clock));
		}
		refuseAbove("ttl", request.ttl().toMillis());
		return this.requests.acquireGuarded(target, request, door, state.literal());
	}

	@Override
	public List<CompletionStage<List<Object>>> renew(List<RenewalBatch> batches, Duration timeout) {
		return guarded(batches.stream()
			.<Function<ServerState, ScriptCall>>map((batch) -> (state) -> renew(batch, state))
			.toList(), timeout);
	}

	private ScriptCall renew(RenewalBatch batch, ServerState state) {
		batch.renewals().forEach((renewal) -> refuseAbove("extension", RedisRequests.millis(renewal.ttl())));
		return (state instanceof ServerState.Quarantined) ? this.requests.reinstall(batch, state.literal())
				: this.requests.renewGuarded(batch, state.literal());
	}

	private List<CompletionStage<List<Object>>> guarded(List<Function<ServerState, ScriptCall>> calls,
			Duration timeout) {
		CallDeadline deadline = CallDeadline.in(timeout, this.clock);
		CompletionStage<List<CompletionStage<List<Object>>>> sent = beforeSending(this.watch.state()).thenApply(
				(state) -> this.link.runAll(calls.stream().map((call) -> call.apply(state)).toList(), deadline.left()));
		List<CompletionStage<List<Object>>> replies = new ArrayList<>(calls.size());
		for (int i = 0; i < calls.size(); i++) {
			int index = i;
			replies.add(sent.thenCompose((all) -> all.get(index))
				.thenCompose((reply) -> isOtherState(reply) ? again(calls.get(index), deadline)
						: CompletableFuture.completedStage(reply)));
		}
		return replies;
	}

	/**
	 * Send a call once more, after asking for the state again. The first call had no
	 * effect.
	 */
	private CompletionStage<List<Object>> again(Function<ServerState, ScriptCall> call, CallDeadline deadline) {
		return beforeSending(this.watch.look())
			.thenCompose((state) -> this.link.run(call.apply(state), deadline.left()))
			.thenApply((reply) -> {
				if (isOtherState(reply)) {
					throw new NotSentException("The Redis of the locks changes its state too often", null);
				}
				return reply;
			});
	}

	/**
	 * Report faults that occur before the state is known as those of a call that was not
	 * sent.
	 */
	private static CompletionStage<ServerState> beforeSending(CompletionStage<ServerState> asked) {
		return asked.exceptionallyCompose((fault) -> {
			Throwable cause = CompletionCauses.unwrap(fault);
			return CompletableFuture.failedStage((cause instanceof LockRefusedException) ? cause
					: new NotSentException(String.valueOf(cause.getMessage()), cause));
		});
	}

	private static boolean isOtherState(List<Object> reply) {
		return reply.isEmpty() || (ScriptReplies.number(reply.get(0)) == OTHER_STATE);
	}

	private QuarantineException refusal(Duration rest) {
		return new QuarantineException(
				"The Redis of the locks is new, was restarted or was failed over to, and grants no lock until "
						+ Instant.ofEpochMilli(this.clock.wallMillis() + rest.toMillis()) + ", for another "
						+ rest.toMillis() + " ms, so that leases that it may have forgotten run out"
						+ " (lock.redis.failover-quarantine)",
				rest);
	}

	private void refuseAbove(String what, long millis) {
		if (millis > this.maxTtlMillis) {
			throw new InvalidLockRequestException("The " + what + " of " + millis
					+ " ms is longer than lock.redis.max-ttl (" + this.maxTtlMillis + " ms)");
		}
	}

	/**
	 * Release a lease. If the lock is missing or has another owner, ask for the state as
	 * well, because the server may have forgotten the lock.
	 */
	@Override
	public CompletionStage<List<Object>> release(LeaseGrant grant, Duration cooldown, Duration patience,
			Duration timeout) {
		return this.plain.release(grant, cooldown, patience, timeout).thenCompose((reply) -> {
			if (ScriptReplies.number(reply.get(0)) == 1) {
				return CompletableFuture.completedStage(reply);
			}
			return this.watch.look()
				.thenCompose((state) -> (state instanceof ServerState.Quarantined)
						? releaseForgotten(grant, cooldown, state, timeout) : CompletableFuture.completedStage(reply));
		});
	}

	private CompletionStage<List<Object>> releaseForgotten(LeaseGrant grant, Duration cooldown, ServerState state,
			Duration timeout) {
		return this.link.run(this.requests.releaseForgotten(grant, cooldown, state.literal()), timeout)
			.thenApply((reply) -> {
				if (isOtherState(reply)) {
					throw new LockUnavailableException(
							"The Redis of the locks was failed over to while a lock was released");
				}
				return reply;
			});
	}

	@Override
	public void close() {
		this.watch.close();
	}

}
