package io.distributedlock.autoconfigure;

import io.etcd.jetcd.Client;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Role;

import io.distributedlock.backend.etcd.EtcdLockBackend;
import io.distributedlock.backend.etcd.EtcdLockSettings;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Configures locks in an etcd: that of the application's {@link Client}, or the one that
 * the properties name.
 */
@Configuration(proxyBeanMethods = false)
class EtcdLockConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	EtcdLockStore etcdLockStore() {
		return new EtcdLockStore();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Client.class)
	@ConditionalOnLockStore(EtcdLockStore.class)
	@EnableConfigurationProperties(LockEtcdProperties.class)
	static class BackendConfiguration {

		@Bean
		@ConditionalOnMissingBean(EtcdConnectionDetails.class)
		PropertiesEtcdConnectionDetails etcdLockConnectionDetails(LockEtcdProperties properties,
				ObjectProvider<SslBundles> bundles) {
			return new PropertiesEtcdConnectionDetails(properties, bundles);
		}

		@Bean
		EtcdLockSettings etcdLockSettings(LockProperties properties, LockEtcdProperties etcd, InstanceId instanceId) {
			return etcd.toSettings(properties, instanceId);
		}

		@Bean
		@Fallback
		@ConditionalOnMissingBean(name = "etcdLockBackend")
		LockBackend etcdLockBackend(ObjectProvider<Client> application, EtcdConnectionDetails details,
				EtcdLockSettings settings, LockClock clock) {
			Client client = application.getIfAvailable();
			if (client != null) {
				return new EtcdLockBackend(client, settings, clock);
			}
			LockEtcdClients clients = new LockEtcdClients(details, settings.callTimeout());
			return new EtcdLockBackend(clients, details.getUser(), clients.address(), settings, clock);
		}

	}

}
