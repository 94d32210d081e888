package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

import io.distributedlock.backend.redlock.RedlockEndpoint;

/**
 * The nodes that {@code lock.redlock} lists.
 */
final class PropertiesRedlockConnectionDetails implements RedlockConnectionDetails {

	private final List<RedlockEndpoint> nodes;

	private final @Nullable SslBundle sslBundle;

	PropertiesRedlockConnectionDetails(LockRedlockProperties properties, ObjectProvider<SslBundles> bundles) {
		this.nodes = parse(properties.nodes());
		String name = properties.ssl().bundle();
		this.sslBundle = StringUtils.hasText(name) ? find(name, bundles) : null;
	}

	private static SslBundle find(String name, ObjectProvider<SslBundles> bundles) {
		try {
			return bundles.getObject().getBundle(name);
		}
		catch (NoSuchSslBundleException | NoSuchBeanDefinitionException ex) {
			throw new LockStartException(
					"The SSL bundle '" + name + "', which 'lock.redlock.ssl.bundle' names, does not exist.",
					"Define it with 'spring.ssl.bundle', or name another one.", ex);
		}
	}

	private static List<RedlockEndpoint> parse(List<String> urls) {
		List<RedlockEndpoint> nodes = new ArrayList<>();
		for (int i = 0; i < urls.size(); i++) {
			try {
				nodes.add(RedlockEndpoint.parse(urls.get(i)));
			}
			catch (IllegalArgumentException ex) {
				// The URL itself may hold a password.
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
