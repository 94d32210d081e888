package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Role;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Configures locks in the Redis of a {@link RedisConnectionFactory}.
 */
@Configuration(proxyBeanMethods = false)
class RedisLockConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	RedisLockStore redisLockStore() {
		return new RedisLockStore();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RedisConnectionFactory.class)
	@ConditionalOnLockStore(RedisLockStore.class)
	@EnableConfigurationProperties(LockRedisProperties.class)
	static class BackendConfiguration {

		@Bean
		RedisLockSettings redisLockSettings(LockProperties properties, LockRedisProperties redisProperties,
				InstanceId instanceId) {
			return redisProperties.toSettings(properties, instanceId);
		}

		@Bean
		@Fallback
		@ConditionalOnMissingBean(name = "redisLockBackend")
		LockBackend redisLockBackend(@LockConnectionFactory ObjectProvider<RedisConnectionFactory> dedicated,
				ObjectProvider<RedisConnectionFactory> shared, RedisLockSettings settings, LockClock clock) {
			return new RedisLockBackend(dedicated.getIfAvailable(shared::getObject), settings, clock);
		}

	}

}
