package io.distributedlock.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.integration.support.locks.LockRegistry;

import io.distributedlock.engine.StoreScopes;
import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.spi.Scopes;

/**
 * Registers a registry for each further store, unless the application has a
 * {@link LockRegistry} of its own.
 */
class AdditionalRegistriesRegistrar implements ImportBeanDefinitionRegistrar {

	private static final String SUFFIX = "LockRegistry";

	private static final String OURS = "lockRegistry";

	private final ConfiguredStores stores;

	private final ConfigurableListableBeanFactory beanFactory;

	AdditionalRegistriesRegistrar(Environment environment, BeanFactory beanFactory) {
		this.stores = ConfiguredStores.of(environment);
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		List<String> further = this.stores.further();
		String standard = this.stores.standard();
		if (further.isEmpty() || standard == null || hasTheApplicationAnother()) {
			return;
		}
		AdditionalStoreBeans beans = new AdditionalStoreBeans(registry, AdditionalRegistriesRegistrar.class);
		further.forEach((store) -> beans.register(store, SUFFIX, "registry"));
		beans.alias(OURS, standard, SUFFIX);
	}

	private boolean hasTheApplicationAnother() {
		return !new BeanCandidates(this.beanFactory, LockRegistry.class).names().equals(List.of(OURS))
				|| this.beanFactory.getType(OURS, false) != LeaseLockRegistry.class;
	}

	static LeaseLockRegistry registry(String store, Scopes scopes, LockProperties properties) {
		return new LeaseLockRegistry(new StoreScopes(store, scopes), properties.ttl());
	}

}
