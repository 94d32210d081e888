package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.call.RepeatedRequestException;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.backend.redis.script.ScriptReplies;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Releases leases, takes locks away, and withdraws attempts whose outcome is unknown.
 */
final class RedisReleases {

	private static final Logger logger = LoggerFactory.getLogger(RedisReleases.class);

	private final RedisLink link;

	private final RedisRequests requests;

	private final LeaseCommands commands;

	private final ScriptFaults faults;

	private final AtomicBoolean warned = new AtomicBoolean();

	RedisReleases(RedisLink link, RedisRequests requests, LeaseCommands commands, ScriptFaults faults) {
		this.faults = faults;
		this.link = link;
		this.requests = requests;
		this.commands = commands;
	}

	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		long interruptions = this.link.interruptions();
		return this.commands.release(grant, cooldown, this.requests.callTimeout()).thenApply((reply) -> {
			warnIfUnnotified(reply);
			return found(reply, interruptions, "released", grant.target().key());
		});
	}

	CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		long interruptions = this.link.interruptions();
		return this.link.run(this.requests.forceRelease(key, cooldown), this.requests.callTimeout())
			.thenApply((reply) -> found(reply, interruptions, "taken away", key));
	}

	/**
	 * Return whether the script found what it was to release. What the driver has sent
	 * again can't tell its own success from a loss.
	 */
	private boolean found(List<Object> reply, long interruptionsBefore, String done, String key) {
		boolean found = ScriptReplies.number(reply.get(0)) == 1;
		if (!found && this.link.interruptions() != interruptionsBefore) {
			throw new RepeatedRequestException("the Redis of the locks", done, key);
		}
		return found;
	}

	CompletionStage<Void> abandon(List<Orphan> orphans) {
		if (orphans.isEmpty()) {
			return CompletableFuture.completedStage(null);
		}
		List<ScriptCall> calls = orphans.stream().map(this.requests::abandon).toList();
		return ManyAnswers.join(this.link.releaseAll(calls, this.requests.callTimeout()).stream()).thenRun(() -> {
		});
	}

	/**
	 * Say once that waiters are not told of releases. What was released is released all
	 * the same.
	 */
	private void warnIfUnnotified(List<Object> reply) {
		if (reply.size() > 1 && !this.warned.getAndSet(true)) {
			logger.warn("Locks in Redis are released, and those that wait for them are not told: {}",
					this.faults.unnotified(ScriptReplies.text(reply.get(1))).getMessage());
		}
	}

}
