package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.LeaseReleases;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Releases leases, and attempts of which nobody knows whether they were granted.
 */
final class Releases implements LeaseReleases {

	private static final Logger logger = LoggerFactory.getLogger(Releases.class);

	private final RedisLink link;

	private final Scripts scripts;

	private final Duration callTimeout;

	private final @Nullable String user;

	private final AtomicBoolean warned = new AtomicBoolean();

	Releases(RedisLink link, Scripts scripts, Duration callTimeout, @Nullable String user) {
		this.user = user;
		this.link = link;
		this.scripts = scripts;
		this.callTimeout = callTimeout;
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		long interruptions = this.link.interruptions();
		CompletionStage<List<Object>> sent = this.link.run(this.scripts.release(grant, cooldown), this.callTimeout);
		return orByLockAlone(sent, () -> this.scripts.releaseByLockAlone(grant, cooldown)).thenApply((reply) -> {
			boolean stood = ScriptReplies.number(reply.get(0)) == 1;
			warnOfSilence(reply);
			if (!stood && this.link.interruptions() != interruptions) {
				// What the driver has sent again can't tell its own success from a loss.
				throw new LockUnavailableException("The connection to the Redis of the locks was interrupted while"
						+ " the lock on '" + grant.target().key() + "' was released");
			}
			return stood;
		});
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		if (orphans.isEmpty()) {
			return CompletableFuture.completedStage(null);
		}
		List<CompletionStage<List<Object>>> sent = this.link
			.runAll(orphans.stream().map(this.scripts::abandon).toList(), this.callTimeout);
		List<CompletableFuture<List<Object>>> all = new ArrayList<>(sent.size());
		for (int i = 0; i < sent.size(); i++) {
			Orphan orphan = orphans.get(i);
			all.add(orByLockAlone(sent.get(i), () -> this.scripts.abandonByLockAlone(orphan)).toCompletableFuture());
		}
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
	}

	/**
	 * Say once that waiters are not told of releases. What was released is released all
	 * the same.
	 */
	private void warnOfSilence(List<Object> reply) {
		if (reply.size() > 1 && !this.warned.getAndSet(true)) {
			logger.warn("Locks in Redis are released, and those that wait for them are not told: {}",
					ScriptFaults.untold(ScriptReplies.text(reply.get(1)), this.scripts.keys().channel(), this.user)
						.getMessage());
		}
	}

	private CompletionStage<List<Object>> orByLockAlone(CompletionStage<List<Object>> sent,
			Supplier<ScriptCall> byLockAlone) {
		return sent.exceptionallyCompose((fault) -> RedisFaults.isSlotMoving(fault)
				? this.link.run(byLockAlone.get(), this.callTimeout) : CompletableFuture.failedStage(fault));
	}

}
