package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the locks on a majority of independent Redis nodes.
 *
 * @param nodes URLs of all nodes, as redis://user:password@host:port, or rediss:// for
 * TLS. An odd number, at least 3; the same list for all applications that share locks.
 * @param nodeTimeout How long the vote of a node is waited for.
 * @param maxTtl Longest ttl of a lease, and the time for which a node that restarted does
 * not vote. The same for all applications that share locks.
 * @param quarantineOnEmpty Whether a node without any data is one that may have forgotten
 * its locks, and does not vote for a time. Turn it off only where no lock can have been
 * there before, as in tests.
 */
@ConfigurationProperties("lock.redlock")
record LockRedlockProperties(@DefaultValue List<String> nodes, @DefaultValue("50ms") Duration nodeTimeout,
		@DefaultValue("60s") Duration maxTtl, @DefaultValue("true") boolean quarantineOnEmpty, @DefaultValue Ssl ssl) {

	/**
	 * TLS to the nodes.
	 *
	 * @param bundle Name of the SSL bundle for nodes whose URL begins with rediss://. By
	 * default they are trusted as the Java platform does.
	 */
	record Ssl(@Nullable String bundle) {
	}

}
