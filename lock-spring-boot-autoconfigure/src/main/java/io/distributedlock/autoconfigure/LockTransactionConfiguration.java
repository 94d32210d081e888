package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.distributedlock.spi.LeaseRetention;
import io.distributedlock.spi.Scopes;
import io.distributedlock.transaction.CommitCheck;
import io.distributedlock.transaction.TransactionLeaseRetention;

/**
 * Configures locks around and inside transactions.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionSynchronizationManager.class)
@EnableConfigurationProperties(LockTransactionProperties.class)
class LockTransactionConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LeaseRetention transactionLeaseRetention(LockTransactionProperties properties) {
		return new TransactionLeaseRetention(properties.whenActive());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnProperty(name = "lock.transactions.check-before-commit", matchIfMissing = true)
	static CommitCheckRegistrar commitCheckRegistrar(ObjectProvider<Scopes> scopes,
			ObjectProvider<LockTransactionProperties> properties, ObjectProvider<LockProperties> lockProperties) {
		return new CommitCheckRegistrar(scopes, properties, lockProperties);
	}

	/**
	 * Adds the check to every transaction manager, whatever declares it and when.
	 */
	static final class CommitCheckRegistrar implements BeanPostProcessor {

		private final ObjectProvider<Scopes> scopes;

		private final ObjectProvider<LockTransactionProperties> properties;

		private final ObjectProvider<LockProperties> lockProperties;

		CommitCheckRegistrar(ObjectProvider<Scopes> scopes, ObjectProvider<LockTransactionProperties> properties,
				ObjectProvider<LockProperties> lockProperties) {
			this.scopes = scopes;
			this.properties = properties;
			this.lockProperties = lockProperties;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (bean instanceof ConfigurableTransactionManager manager) {
				manager.addListener(new CommitCheck(this.scopes::getObject,
						this.properties.getObject().marginOr(this.lockProperties.getObject().boundedCallTimeout())));
			}
			return bean;
		}

	}

}
