package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

import io.distributedlock.LockRequest;
import io.distributedlock.backend.StoreSettings;
import io.distributedlock.backend.redis.script.Sha1Digest;
import io.distributedlock.spi.OwnerId;

/**
 * Settings of a {@link RedlockLockBackend}. All clients of the same nodes have to agree
 * on the nodes, the longest TTL and the retention of tokens. A client refuses nodes that
 * are used with other values.
 *
 * @param nodes the names of all nodes, {@code host:port} without credentials; an odd
 * number of them, each a server of its own
 * @param nodeTimeout how long to wait for a node's vote
 * @param maxTtl the longest TTL; a restarted node does not vote for that long and a
 * margin
 * @param quarantineOnEmpty whether a node without any state is put into quarantine,
 * because it may have forgotten its locks; {@code false} is safe only if no lock can have
 * been there before, as in tests
 * @param tokenRetention how long the counter of a key stays after its last use
 * @param callTimeout the timeout of a call if the request has none
 * @param instanceId the name of this JVM, for diagnostics; truncated after 255 characters
 * @param keyPrefix the prefix of every stored name; may be empty
 * @since 0.1.0
 */
public record RedlockSettings(List<String> nodes, Duration nodeTimeout, Duration maxTtl, boolean quarantineOnEmpty,
		Duration tokenRetention, Duration callTimeout, String instanceId, String keyPrefix) {

	public RedlockSettings {
		nodes = List.copyOf(nodes);
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		if (nodes.isEmpty() || nodes.size() % 2 == 0) {
			throw new IllegalArgumentException("The number of nodes (lock.redlock.nodes) must be odd, such as 3 or 5:"
					+ " one more node tolerates no more failures; but there are " + nodes.size());
		}
		if (new HashSet<>(nodes).size() < nodes.size()) {
			throw new IllegalArgumentException(
					"Each node (lock.redlock.nodes) has one vote, but one of them is listed twice: " + nodes);
		}
		StoreSettings.requirePositive(nodeTimeout, "timeout of a node (lock.redlock.node-timeout)");
		StoreSettings.requirePositive(maxTtl, "longest ttl (lock.redlock.max-ttl)");
		if (maxTtl.compareTo(LockRequest.MAX_HOLD_TIME) > 0) {
			throw new IllegalArgumentException("The longest ttl (lock.redlock.max-ttl) must be at most "
					+ LockRequest.MAX_HOLD_TIME.toDays() + " days, but is " + maxTtl);
		}
		StoreSettings.requirePositive(tokenRetention, "retention of tokens (lock.token-retention)");
		StoreSettings.requirePositive(callTimeout, "call timeout (lock.call-timeout)");
		instanceId = StoreSettings.printable(instanceId);
	}

	/**
	 * Return the value that the lock of an attempt gets.
	 */
	String lockValue(OwnerId ownerId) {
		return ownerId.value() + "|" + this.instanceId;
	}

	/**
	 * Return how many nodes form a majority.
	 */
	int quorum() {
		return this.nodes.size() / 2 + 1;
	}

	/**
	 * Return by how much the clocks of clients and nodes may drift apart during a
	 * quarantine.
	 */
	Duration margin() {
		return this.maxTtl.dividedBy(50).plusMillis(100);
	}

	/**
	 * Return for how long a node that may have forgotten its locks does not vote: until
	 * every lease is over that it may have voted for.
	 */
	Duration quarantine() {
		return this.maxTtl.plus(margin());
	}

	/**
	 * Return a hash of the settings on which clients have to agree. The retention of
	 * tokens is a part of it: a client with a shorter one would let counters expire on
	 * which another client still relies.
	 */
	String configHash() {
		String text = String.join(",", this.nodes.stream().sorted().toList()) + "|" + this.maxTtl.toMillis() + "|"
				+ margin().toMillis() + "|" + this.tokenRetention.toMillis();
		return Sha1Digest.hex(text).substring(0, 16);
	}

}
