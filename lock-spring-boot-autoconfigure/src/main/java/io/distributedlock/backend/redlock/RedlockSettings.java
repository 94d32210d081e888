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
 * How a {@link RedlockLockBackend} keeps its locks. All clients of the same nodes have to
 * agree on the nodes, the longest ttl and the retention of tokens: a node refuses to mix
 * them.
 *
 * @param nodes the names of all nodes, {@code host:port} without credentials; an odd
 * number of them, each a server of its own
 * @param nodeTimeout how long a node's vote is waited for
 * @param maxTtl the longest ttl, and what a node that restarted is kept from voting for
 * @param quarantineOnEmpty whether a node without any state is one that may have
 * forgotten its locks; only where no lock can have been there before, as in tests, it is
 * safe to say no
 * @param tokenRetention how long the counter of a key stays after its last use
 * @param callTimeout the bound of one call where the request brings none
 * @param instanceId who this JVM is, for people who look; cut after 255 characters
 * @param keyPrefix what every stored name begins with; may be empty
 * @since 0.1.0
 */
public record RedlockSettings(List<String> nodes, Duration nodeTimeout, Duration maxTtl, boolean quarantineOnEmpty,
		Duration tokenRetention, Duration callTimeout, String instanceId, String keyPrefix) {

	public RedlockSettings {
		nodes = List.copyOf(nodes);
		Objects.requireNonNull(keyPrefix, "keyPrefix");
		if (nodes.isEmpty() || nodes.size() % 2 == 0) {
			throw new IllegalArgumentException("An odd number of nodes is needed (lock.redlock.nodes), as 3 or 5: one"
					+ " more would only be one more that a majority needs; but there are " + nodes.size());
		}
		if (new HashSet<>(nodes).size() < nodes.size()) {
			throw new IllegalArgumentException(
					"Each node (lock.redlock.nodes) has one vote, but one of them is listed twice: " + nodes);
		}
		StoreSettings.requirePositive(nodeTimeout, "time-out of a node (lock.redlock.node-timeout)");
		StoreSettings.requirePositive(maxTtl, "longest ttl (lock.redlock.max-ttl)");
		if (maxTtl.compareTo(LockRequest.MAX_HOLD_TIME) > 0) {
			throw new IllegalArgumentException("The longest ttl (lock.redlock.max-ttl) must be at most "
					+ LockRequest.MAX_HOLD_TIME.toDays() + " days, but is " + maxTtl);
		}
		StoreSettings.requirePositive(tokenRetention, "retention of tokens (lock.token-retention)");
		StoreSettings.requirePositive(callTimeout, "call time-out (lock.call-timeout)");
		instanceId = StoreSettings.printable(instanceId);
	}

	/**
	 * Return the value that the lock of an attempt gets.
	 */
	String lockValue(OwnerId ownerId) {
		return ownerId.value() + "|" + this.instanceId;
	}

	/**
	 * Return how many nodes a majority is.
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
	 * Return what clients have to agree on, in short. The retention of tokens is a part
	 * of it: a client with a shorter one would let counters end that another one still
	 * takes for remembered.
	 */
	String configHash() {
		String text = String.join(",", this.nodes.stream().sorted().toList()) + "|" + this.maxTtl.toMillis() + "|"
				+ margin().toMillis() + "|" + this.tokenRetention.toMillis();
		return Sha1Digest.hex(text).substring(0, 16);
	}

}
