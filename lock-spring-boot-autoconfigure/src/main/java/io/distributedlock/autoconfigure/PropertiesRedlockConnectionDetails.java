package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

import io.distributedlock.backend.redlock.RedlockEndpoint;

/**
 * The nodes that {@code lock.redlock} lists.
 */
final class PropertiesRedlockConnectionDetails implements RedlockConnectionDetails {

	private final List<RedlockEndpoint> nodes;

	private final @Nullable SslBundle sslBundle;

	PropertiesRedlockConnectionDetails(LockRedlockProperties properties, ObjectProvider<SslBundles> bundles) {
		this.nodes = parse(properties.nodes());
		this.sslBundle = new SslBundleLookup("lock.redlock.ssl.bundle", bundles).find(properties.ssl().bundle());
	}

	private static List<RedlockEndpoint> parse(List<String> urls) {
		List<RedlockEndpoint> nodes = new ArrayList<>();
		for (int i = 0; i < urls.size(); i++) {
			try {
				nodes.add(RedlockEndpoint.parse(urls.get(i)));
			}
			catch (IllegalArgumentException ex) {
				// The URL itself may contain a password.
				throw new LockStartException("'lock.redlock.nodes[" + i + "]' can't be read: " + ex.getMessage() + ".",
						"Write it as redis://host:port, redis://user:password@host:port, or rediss:// for TLS; special"
								+ " characters of the password as %XX.",
						ex);
			}
		}
		return List.copyOf(nodes);
	}

	@Override
	public List<RedlockEndpoint> getNodes() {
		return this.nodes;
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return this.sslBundle;
	}

}
