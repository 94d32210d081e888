package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockSettings;

/**
 * Properties of the locks on a majority of independent Redis nodes.
 *
 * @param nodes URLs of all nodes, as redis://user:password@host:port, or rediss:// for
 * TLS. An odd number, at least 3; the same list for all applications that share locks.
 * @param nodeTimeout How long to wait for the vote of a node; shorter than the call
 * timeout.
 * @param maxTtl Longest TTL of a lease, and the time for which a restarted node does not
 * vote. The same for all applications that share locks.
 * @param quarantineOnEmpty Whether a node without any data does not vote for a time,
 * because it may have forgotten its locks. Turn it off only if no lock can have been
 * there before, for example in tests.
 */
@ConfigurationProperties("lock.redlock")
record LockRedlockProperties(@DefaultValue List<String> nodes, @DefaultValue("50ms") Duration nodeTimeout,
		@DefaultValue("60s") Duration maxTtl, @DefaultValue("true") boolean quarantineOnEmpty, @DefaultValue Ssl ssl) {

	private static final int FEWEST_NODES = 3;

	RedlockSettings toSettings(List<RedlockEndpoint> endpoints, LockProperties properties, InstanceId instanceId) {
		List<String> names = endpoints.stream().map(RedlockEndpoint::name).toList();
		if (names.size() < FEWEST_NODES) {
			throw new LockStartException(
					"A Redlock needs an odd number of nodes (lock.redlock.nodes), at least " + FEWEST_NODES
							+ ", but there " + ((names.size() == 1) ? "is 1." : "are " + names.size() + "."),
					"List more independent servers in 'lock.redlock.nodes', or use a single Redis by"
							+ " 'lock.backend=redis'.",
					null);
		}
		requireShorter("ttl (lock.ttl)", properties.ttl(), "longest ttl (lock.redlock.max-ttl)", this.maxTtl);
		requireShorter("timeout of a node (lock.redlock.node-timeout)", this.nodeTimeout,
				"call timeout (lock.call-timeout, at most a third of lock.ttl)", properties.boundedCallTimeout());
		try {
			return new RedlockSettings(names, this.nodeTimeout, this.maxTtl, this.quarantineOnEmpty,
					properties.tokenRetention(), properties.boundedCallTimeout(), instanceId.value(),
					properties.keyPrefix());
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException(String.valueOf(ex.getMessage()), "Change the property that it names.", ex);
		}
	}

	private static void requireShorter(String what, Duration value, String bound, Duration most) {
		if (value.compareTo(most) > 0) {
			throw new LockStartException("The " + what + " is " + value + ", and the " + bound + " " + most + ".",
					"Change one of them.", null);
		}
	}

	/**
	 * Return the properties without users and passwords.
	 */
	@Override
	public String toString() {
		return "LockRedlockProperties[nodes=[" + LockSecrets.hideUserInfo(String.join(",", this.nodes))
				+ "], nodeTimeout=" + this.nodeTimeout + ", maxTtl=" + this.maxTtl + ", quarantineOnEmpty="
				+ this.quarantineOnEmpty + ", ssl=" + this.ssl + "]";
	}

	/**
	 * TLS to the nodes.
	 *
	 * @param bundle Name of the SSL bundle for nodes whose URL begins with rediss://. By
	 * default, the certificates that the Java platform trusts are used.
	 */
	record Ssl(@Nullable String bundle) {
	}

}
