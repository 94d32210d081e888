package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockException;
import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Asks the server whether it grants locks, with one request at a time, and ends a
 * quarantine when its time is over.
 */
final class QuarantineWatch {

	static final String CLUSTER = "lock.redis.failover-quarantine is not possible with a Redis Cluster";

	private static final Logger logger = LoggerFactory.getLogger(QuarantineWatch.class);

	private final RedisLink link;

	private final RedisRequests requests;

	private final RedisLockSettings settings;

	private final LockClock clock;

	private final BackendListener listener;

	// Written by the answer to the one request that is under way.
	private volatile @Nullable ServerState known;

	// All three are guarded by this object's monitor: the request that is under way, the
	// timer of the latest quarantine, and whether no further timer may be started.
	private @Nullable CompletableFuture<ServerState> look;

	private LockClock.@Nullable Timeout end;

	private boolean closed;

	QuarantineWatch(RedisLink link, RedisRequests requests, RedisLockSettings settings, LockClock clock,
			BackendListener listener) {
		this.link = link;
		this.requests = requests;
		this.settings = settings;
		this.clock = clock;
		this.listener = listener;
	}

	/**
	 * Return the known state if it is that of a server that grants locks; otherwise ask
	 * for it. Scripts check whether the known state still applies.
	 */
	CompletionStage<ServerState> state() {
		ServerState current = this.known;
		return (current instanceof ServerState.Granting) ? CompletableFuture.completedStage(current) : look();
	}

	/**
	 * Return the rest of the quarantine, or {@code null} if none is known.
	 */
	@Nullable Duration rest() {
		return (this.known instanceof ServerState.Quarantined quarantined) ? quarantined.rest(this.clock) : null;
	}

	/**
	 * Ask for the state, or wait for the answer to the request that is under way.
	 */
	CompletionStage<ServerState> look() {
		CompletableFuture<ServerState> next = new CompletableFuture<>();
		synchronized (this) {
			if (this.look != null) {
				return this.look;
			}
			this.look = next;
		}
		ServerState before = this.known;
		ScriptCall call = this.requests.quarantine(OwnerId.random().value(), ServerState.over(before, this.clock));
		this.link.run(call, this.settings.callTimeout())
			.handle((reply, fault) -> read(before, reply, fault))
			.whenComplete((now, fault) -> answered(before, now))
			.whenComplete((now, fault) -> {
				if (fault != null) {
					next.completeExceptionally(CompletionCauses.unwrap(fault));
				}
				else {
					next.complete(now);
				}
			});
		return next;
	}

	private ServerState read(@Nullable ServerState before, @Nullable List<Object> reply, @Nullable Throwable fault) {
		if (reply == null) {
			throw unanswered((fault != null) ? fault : new IllegalStateException("no answer"));
		}
		if (reply.isEmpty()) {
			throw new LockRefusedException(CLUSTER, null);
		}
		ServerState now = ServerState.read(ScriptReplies.text(reply.get(0)), before, this.settings.maxTtl(),
				this.clock);
		this.known = now;
		return now;
	}

	private static LockException unanswered(Throwable fault) {
		LockException explained = RedisFaults.explain(fault);
		return (explained instanceof LockRefusedException) ? new LockRefusedException(
				"The quarantine of lock.redis.failover-quarantine is not possible. " + explained.getMessage(), fault)
				: explained;
	}

	private void answered(@Nullable ServerState before, @Nullable ServerState now) {
		synchronized (this) {
			this.look = null;
		}
		if (now instanceof ServerState.Quarantined quarantined && !now.equals(before)) {
			Duration rest = quarantined.rest(this.clock);
			logger.warn("The Redis of the locks is new, was restarted or was failed over to: it grants no lock for"
					+ " {} ms (lock.redis.failover-quarantine)", rest.toMillis());
			this.listener.quarantineBegun(rest);
			endAfter(rest);
		}
		else if (now instanceof ServerState.Granting && before instanceof ServerState.Quarantined) {
			logger.info("The quarantine of the Redis of the locks is over");
			this.listener.quarantineEnded();
		}
	}

	private synchronized void endAfter(Duration rest) {
		if (this.end != null) {
			this.end.cancel();
		}
		if (!this.closed) {
			// A millisecond more, because timers may fire a little early.
			this.end = this.clock.schedule(rest.plusMillis(1), this::look);
		}
	}

	synchronized void close() {
		this.closed = true;
		if (this.end != null) {
			this.end.cancel();
		}
	}

}
