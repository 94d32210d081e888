package io.distributedlock.backend.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.redis.script.ScriptReplies;

/**
 * Checks once whether the server evicts keys, locks and counters included, when its
 * memory is full. In a Cluster the answer of one primary counts for all.
 */
final class EvictionPolicyCheck {

	private static final Logger logger = LoggerFactory.getLogger(EvictionPolicyCheck.class);

	private static final Pattern LIMIT = Pattern.compile("(?m)^maxmemory:0\\r?$");

	private static final Pattern POLICY = Pattern.compile("(?m)^maxmemory_policy:(\\S+)");

	private static final String NONE = "noeviction";

	private final RedisLink link;

	private final RedisRequests requests;

	// Guarded by this object's monitor. The look that is under way or was answered.
	private @Nullable CompletableFuture<Boolean> look;

	// Written once, before the look completes.
	private volatile boolean evicts;

	EvictionPolicyCheck(RedisLink link, RedisRequests requests) {
		this.link = link;
		this.requests = requests;
	}

	/**
	 * Return whether the server is known to evict keys.
	 */
	boolean evictsKeys() {
		return this.evicts;
	}

	/**
	 * Look at the policy, unless it is known already.
	 * @return completed normally in any case
	 */
	synchronized CompletionStage<Boolean> done() {
		if (this.look != null) {
			return this.look;
		}
		CompletableFuture<Boolean> next = new CompletableFuture<>();
		this.look = next;
		this.link.run(this.requests.info("memory"), this.requests.callTimeout()).whenComplete((reply, fault) -> {
			if (fault == null) {
				read(ScriptReplies.text(reply.get(0)));
			}
			else {
				// Not every user may run INFO. After any other fault the next call looks
				// again.
				logger.debug("Redis does not report whether it evicts keys", fault);
				forget(fault);
			}
			next.complete(true);
		});
		return next;
	}

	private synchronized void forget(Throwable fault) {
		if (!RedisFaults.isForbidden(fault)) {
			this.look = null;
		}
	}

	private void read(String info) {
		Matcher policy = POLICY.matcher(info);
		if (LIMIT.matcher(info).find() || !policy.find() || policy.group(1).equals(NONE)) {
			return;
		}
		this.evicts = true;
		logger.warn("The Redis of the locks evicts keys when its memory is full (maxmemory-policy {}):"
				+ " leases can be lost at any time, and requests for fencing tokens are refused. Keep locks in a"
				+ " Redis with maxmemory-policy {}, through a RedisConnectionFactory with @LockConnectionFactory",
				policy.group(1), NONE);
	}

}
