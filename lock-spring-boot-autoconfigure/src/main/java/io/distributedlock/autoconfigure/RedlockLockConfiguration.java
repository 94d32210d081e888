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
import io.distributedlock.backend.redlock.lettuce.LettuceNodes;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Configures locks on a majority of independent Redis nodes.
 */
@Configuration(proxyBeanMethods = false)
class RedlockLockConfiguration {

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
			return redlockProperties.toSettings(details.getNodes(), properties, instanceId);
		}

		@Bean
		RedlockEventPublisher redlockEventPublisher(LockEventPublisher events) {
			return new RedlockEventPublisher(events);
		}

		@Bean
		@Fallback
		@ConditionalOnMissingBean(name = "redlockLockBackend")
		LockBackend redlockLockBackend(RedlockConnectionDetails details, RedlockSettings settings, LockClock clock,
				ObjectProvider<RedlockListener> listeners) {
			requireUseOf(details.getSslBundle(), details.getNodes());
			return new RedlockLockBackend(
					LettuceNodes.of(details.getNodes(), tls(details.getSslBundle()), settings, clock), settings, clock,
					new CompositeRedlockListener(listeners.orderedStream().toList()));
		}

		/**
		 * Refuse a bundle that no node uses, because its presence shows that plain text
		 * is not intended.
		 */
		private static void requireUseOf(@Nullable SslBundle bundle, List<RedlockEndpoint> nodes) {
			if (bundle != null && nodes.stream().noneMatch(RedlockEndpoint::tls)) {
				throw new LockStartException(
						"There is an SSL bundle for the nodes of the locks (lock.redlock.ssl.bundle), but the URL of each"
								+ " node begins with redis://, which is plain text.",
						"Begin the URLs with rediss://, or remove the bundle.", null);
			}
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
