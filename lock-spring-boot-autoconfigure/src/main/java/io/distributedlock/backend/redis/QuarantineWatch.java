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
import io.distributedlock.backend.redis.Quarantine.Granting;
import io.distributedlock.backend.redis.Quarantine.Standing;
import io.distributedlock.backend.redis.Quarantine.Waiting;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.OwnerId;

/**
 * Asks the server whether it grants, one question at a time, and ends its quarantine when
 * its time is over.
 */
final class QuarantineWatch {

	static final String CLUSTER = "lock.redis.failover-quarantine is not possible with a Redis Cluster";

	private static final Logger logger = LoggerFactory.getLogger(QuarantineWatch.class);

	private final RedisLink link;

	private final byte[] stateKey;

	private final Duration maxTtl;

	private final Duration callTimeout;

	private final LockClock clock;

	private final Quarantine quarantine;

	// All three are guarded by this object's monitor: the question that is under way, the
	// timer of the latest quarantine, and whether there are to be no more.
	private @Nullable CompletableFuture<Standing> look;

	private LockClock.@Nullable Timeout end;

	private boolean closed;

	QuarantineWatch(RedisLink link, byte[] stateKey, RedisLockSettings settings, LockClock clock) {
		this.link = link;
		this.stateKey = stateKey;
		this.maxTtl = settings.maxTtl();
		this.callTimeout = settings.callTimeout();
		this.clock = clock;
		this.quarantine = new Quarantine(this.maxTtl, clock);
	}

	/**
	 * Return whether the server grants, as far as that is known; otherwise ask. A script
	 * finds out whether it is true still.
	 */
	CompletionStage<Standing> standing() {
		Standing known = this.quarantine.standing();
		return (known instanceof Granting) ? CompletableFuture.completedStage(known) : look();
	}

	/**
	 * Ask again, because the server has found another state than this one.
	 */
	CompletionStage<Standing> afterDoubt(Standing seen) {
		this.quarantine.doubt(seen);
		return look();
	}

	/**
	 * Ask, or wait for the answer that others have asked for.
	 */
	CompletionStage<Standing> look() {
		CompletableFuture<Standing> next = new CompletableFuture<>();
		synchronized (this) {
			if (this.look != null) {
				return this.look;
			}
			this.look = next;
		}
		String over = this.quarantine.over();
		ScriptCall call = ScriptCall.of(RedisScripts.QUARANTINE, List.of(this.stateKey), this.maxTtl.toMillis(),
				OwnerId.random().value(), (over != null) ? over : "");
		this.link.run(call, this.callTimeout).whenComplete((reply, fault) -> answered(next, reply, fault));
		return next;
	}

	private void answered(CompletableFuture<Standing> next, @Nullable List<Object> reply, @Nullable Throwable fault) {
		Standing before = this.quarantine.standing();
		try {
			Standing now = read(reply, fault);
			done();
			tell(before, now);
			next.complete(now);
		}
		catch (RuntimeException ex) {
			done();
			next.completeExceptionally(ex);
		}
	}

	private Standing read(@Nullable List<Object> reply, @Nullable Throwable fault) {
		if (reply == null) {
			throw unanswered((fault != null) ? fault : new IllegalStateException("no answer"));
		}
		if (reply.isEmpty()) {
			throw new LockRefusedException(CLUSTER, null);
		}
		return this.quarantine.read(ScriptReplies.text(reply.get(0)));
	}

	private static LockException unanswered(Throwable fault) {
		LockException explained = RedisFaults.explain(fault);
		return (explained instanceof LockRefusedException) ? new LockRefusedException(
				"The quarantine of lock.redis.failover-quarantine is not possible. " + explained.getMessage(), fault)
				: explained;
	}

	private synchronized void done() {
		this.look = null;
	}

	private void tell(@Nullable Standing before, Standing now) {
		if (now instanceof Waiting waiting && !now.equals(before)) {
			Duration rest = waiting.rest(this.clock);
			logger.warn("The Redis of the locks is new, was restarted or was failed over to: it grants no lock for"
					+ " {} ms (lock.redis.failover-quarantine)", rest.toMillis());
			endAfter(rest);
		}
		else if (now instanceof Granting && before instanceof Waiting) {
			logger.info("The quarantine of the Redis of the locks is over");
		}
	}

	private synchronized void endAfter(Duration rest) {
		if (this.end != null) {
			this.end.cancel();
		}
		if (!this.closed) {
			// Up to the millisecond above, as clocks' timers may be a little early.
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
