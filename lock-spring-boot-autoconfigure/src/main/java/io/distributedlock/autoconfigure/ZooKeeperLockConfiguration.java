package io.distributedlock.autoconfigure;

import org.apache.curator.framework.CuratorFramework;
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

import io.distributedlock.backend.zookeeper.ZooKeeperLockBackend;
import io.distributedlock.backend.zookeeper.ZooKeeperLockSettings;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Configures locks in a ZooKeeper: that of the application's {@link CuratorFramework}, or
 * the one that the properties name.
 */
@Configuration(proxyBeanMethods = false)
class ZooKeeperLockConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	ZooKeeperLockStore zookeeperLockStore() {
		return new ZooKeeperLockStore();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(CuratorFramework.class)
	@ConditionalOnLockStore(ZooKeeperLockStore.class)
	@EnableConfigurationProperties(LockZooKeeperProperties.class)
	static class BackendConfiguration {

		@Bean
		@ConditionalOnMissingBean(ZooKeeperConnectionDetails.class)
		PropertiesZooKeeperConnectionDetails zookeeperLockConnectionDetails(LockZooKeeperProperties properties,
				ObjectProvider<SslBundles> bundles) {
			return new PropertiesZooKeeperConnectionDetails(properties, bundles);
		}

		@Bean
		ZooKeeperLockSettings zookeeperLockSettings(LockProperties properties, LockZooKeeperProperties zookeeper,
				ZooKeeperConnectionDetails details, InstanceId instanceId) {
			return zookeeper.toSettings(properties, instanceId, details.getAuth());
		}

		@Bean
		LockCurator lockCurator(ObjectProvider<CuratorFramework> application,
				ObjectProvider<ZooKeeperConnectionDetails> details, LockZooKeeperProperties properties) {
			return new LockCurator(application, details, properties);
		}

		@Bean
		@Fallback
		@ConditionalOnMissingBean(name = "zookeeperLockBackend")
		LockBackend zookeeperLockBackend(LockCurator curator, ZooKeeperLockSettings settings, LockClock clock) {
			return new ZooKeeperLockBackend(curator, settings, clock);
		}

	}

}
