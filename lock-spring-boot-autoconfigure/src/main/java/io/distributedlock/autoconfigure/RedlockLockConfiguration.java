package io.distributedlock.autoconfigure;

import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Role;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockLockBackend;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Locks on a majority of independent Redis nodes.
 */
@Configuration(proxyBeanMethods = false)
class RedlockLockConfiguration {

	private static final int FEWEST_NODES = 3;

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	RedlockLockStore redlockLockStore() {
		return new RedlockLockStore();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RedisClient.class)
	@ConditionalOnLockStore(RedlockLockStore.class)
	@EnableConfigurationProperties(LockRedlockProperties.class)
	static class BackendConfiguration {

		@Bean
		@ConditionalOnMissingBean
		RedlockConnectionDetails redlockConnectionDetails(LockRedlockProperties properties,
				ObjectProvider<SslBundles> bundles) {
			return new PropertiesRedlockConnectionDetails(properties, bundles);
		}

		@Bean
		RedlockSettings redlockSettings(LockProperties properties, LockRedlockProperties redlockProperties,
				RedlockConnectionDetails details, InstanceId instanceId) {
			List<String> nodes = details.getNodes().stream().map(RedlockEndpoint::name).toList();
			if (nodes.size() < FEWEST_NODES) {
				throw new LockStartException(
						"A Redlock needs an odd number of nodes, at least " + FEWEST_NODES + ", but there "
								+ ((nodes.size() == 1) ? "is 1." : "are " + nodes.size() + "."),
						"List more independent servers in 'lock.redlock.nodes', or use a single Redis by"
								+ " 'lock.backend=redis'.",
						null);
			}
			try {
				return new RedlockSettings(nodes, redlockProperties.nodeTimeout(), redlockProperties.maxTtl(),
						redlockProperties.quarantineOnEmpty(), properties.tokenRetention(),
						properties.boundedCallTimeout(), instanceId.value(), properties.keyPrefix());
			}
			catch (IllegalArgumentException ex) {
				throw new LockStartException(String.valueOf(ex.getMessage()), "Change the property that it names.", ex);
			}
		}

		@Bean
		@Fallback
		@ConditionalOnMissingBean(name = "redlockLockBackend")
		LockBackend redlockLockBackend(RedlockConnectionDetails details, RedlockSettings settings, LockClock clock,
				ObjectProvider<RedlockListener> listener) {
			return RedlockLockBackend.overLettuce(details.getNodes(), tls(details.getSslBundle()), settings, clock,
					listener.getIfUnique(() -> RedlockListener.NONE));
		}

		private static @Nullable SslOptions tls(@Nullable SslBundle bundle) {
			if (bundle == null) {
				return null;
			}
			SslOptions.Builder options = SslOptions.builder()
				.keyManager(bundle.getManagers().getKeyManagerFactory())
				.trustManager(bundle.getManagers().getTrustManagerFactory());
			if (bundle.getOptions().getCiphers() != null) {
				options.cipherSuites(bundle.getOptions().getCiphers());
			}
			if (bundle.getOptions().getEnabledProtocols() != null) {
				options.protocols(bundle.getOptions().getEnabledProtocols());
			}
			return options.build();
		}

	}

}
