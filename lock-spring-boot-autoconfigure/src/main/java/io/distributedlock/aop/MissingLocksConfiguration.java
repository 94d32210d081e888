package io.distributedlock.aop;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Fails the startup of an application context without locks if one of its beans has
 * {@link io.distributedlock.DistributedLock} methods, which would run without a lock. Not
 * to be used together with {@link DistributedLockAopConfiguration}.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class MissingLocksConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static SmartInitializingSingleton missingLocksCheck(ConfigurableListableBeanFactory beanFactory) {
		LockOperationSource operations = new LockOperationSource(new LockOperationFactory(beanFactory));
		return () -> beanFactory.getBeanNamesIterator().forEachRemaining((name) -> {
			Class<?> type = beanFactory.getType(name, false);
			LockedClass locked = operations.lockedClass((type != null) ? type : Object.class);
			if (locked.needsProxy()) {
				throw new InvalidLockDeclarationException(locked.methodsThatNeedAProxy().get(0), locked.type(), null,
						"LockAutoConfiguration is excluded, so that the method would run WITHOUT a lock; remove the"
								+ " exclusion, and set lock.backend=local for tests and for applications that run alone")
					.ofBean(name);
			}
		});
	}

}
