package io.distributedlock.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.engine.StoreScopes;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Scopes;

/**
 * Registers an engine, a template and a view for each further store. Beans of the
 * application with the same name replace them.
 */
class AdditionalStoresRegistrar implements ImportBeanDefinitionRegistrar {

	private static final String ENGINE = "LockEngine";

	private final ConfiguredStores stores;

	AdditionalStoresRegistrar(Environment environment) {
		this.stores = ConfiguredStores.of(environment);
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		AdditionalStoreBeans beans = new AdditionalStoreBeans(registry, AdditionalStoresRegistrar.class);
		for (String store : this.stores.further()) {
			beans.register(store, ENGINE, "engine").setDestroyMethodName("stop");
			beans.register(store, "LockEngineLifecycle", "lifecycle");
			beans.register(store, "LockTemplate", "template");
			beans.register(store, "Locks", "locks");
		}
		String standard = this.stores.standard();
		if (standard != null && !this.stores.further().isEmpty()) {
			beans.alias("lockTemplate", standard, "LockTemplate");
			beans.alias("locks", standard, "Locks");
		}
	}

	/**
	 * Return the name of the engine bean of a further store.
	 */
	static String engineBeanName(String store) {
		return store + ENGINE;
	}

	static LockEngine engine(String store, LockBackendResolver backends, EngineEnvironment environment) {
		return environment.engine(backends.named(store), List.of());
	}

	static LockEngineLifecycle lifecycle(String store, LockEngines engines, LockProperties properties,
			LockClock clock) {
		return properties.toLifecycle(engines.get(store), clock);
	}

	static LockTemplate template(String store, LockEngines engines, Scopes scopes) {
		return new DefaultLockTemplate(engines.at(store), new StoreScopes(store, scopes));
	}

	static Locks locks(String store, LockEngines engines) {
		return new DefaultLocks(engines.get(store));
	}

}
