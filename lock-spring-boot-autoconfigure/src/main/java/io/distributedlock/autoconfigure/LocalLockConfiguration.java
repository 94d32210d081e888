package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Role;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.epoch.TokenEpoch;
import io.distributedlock.epoch.TokenEpochBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.test.LocalLocks;

/**
 * Configures locks in the memory of this process.
 */
@Configuration(proxyBeanMethods = false)
class LocalLockConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	LocalLockStore localLockStore() {
		return new LocalLockStore();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockStore(LocalLockStore.class)
	static class BackendConfiguration {

		@Bean
		@Fallback
		@ConditionalOnMissingBean(name = "localLockBackend")
		LocalLockBackend localLockBackend(InstanceId instanceId, LockClock clock) {
			return new LocalLockBackend(new LocalStore(clock), instanceId.value(), clock);
		}

		@Bean
		@ConditionalOnSingleCandidate(LocalLockBackend.class)
		@ConditionalOnMissingBean
		LocalLocks locksInMemory(LocalLockBackend backend, LockProperties properties, LockClock clock) {
			TokenEpoch epoch = new TokenEpoch(properties.tokenEpoch());
			return new LocalLocks(backend, (client) -> TokenEpochBackend.of("local", client, epoch, clock, false));
		}

	}

}
