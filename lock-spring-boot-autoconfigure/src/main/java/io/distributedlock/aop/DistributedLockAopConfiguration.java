package io.distributedlock.aop;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/**
 * Puts a lock around the {@link io.distributedlock.DistributedLock} methods of all beans,
 * and refuses at startup methods that can't be locked as declared.
 * <p>
 * Requires one bean of type {@link io.distributedlock.spi.Scopes}, which is looked up at
 * the first call of a locked method. With a bean of type {@link BackendCatalog}, startup
 * checks the backends that annotations name. A bean of type
 * {@link LockAnnotationSettings} determines how strict startup is.
 *
 * @since 0.1.0
 */
@Configuration(proxyBeanMethods = false)
@Import(AutoProxyCreatorRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class DistributedLockAopConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DistributedLockAdvisor distributedLockAdvisor(ConfigurableListableBeanFactory beanFactory) {
		return new DistributedLockAdvisor(beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static EarlyBeans earlyLockedBeans() {
		return new EarlyBeans();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockedBeanValidator lockedBeanValidator(ConfigurableListableBeanFactory beanFactory,
			DistributedLockAdvisor advisor, EarlyBeans earlyBeans, UnlockedBeans unlocked) {
		return new LockedBeanValidator(beanFactory, advisor.operations(), earlyBeans, unlocked);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static UnlockedBeans unlockedBeans(ConfigurableListableBeanFactory beanFactory) {
		return new UnlockedBeans(beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RelatedContexts relatedLockedContexts(ApplicationContext context, DistributedLockAdvisor advisor,
			UnlockedBeans unlocked) {
		return new RelatedContexts(context, advisor.operations(), unlocked);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static WovenBeans wovenLockedBeans(DistributedLockAdvisor advisor) {
		return new WovenBeans(advisor);
	}

}
