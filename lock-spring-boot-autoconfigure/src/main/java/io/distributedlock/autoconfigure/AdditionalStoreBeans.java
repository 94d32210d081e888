package io.distributedlock.autoconfigure;

import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Registers the beans of further stores. They are injected only with a qualifier, and
 * never by type alone. A bean of the application with the same name replaces them.
 *
 * @param registry the registry for the definitions
 * @param factory the class whose static methods create the beans; the first parameter is
 * the name of the store, all others are autowired
 */
record AdditionalStoreBeans(BeanDefinitionRegistry registry, Class<?> factory) {

	/**
	 * Register a bean.
	 * @param store the name of the store, which is the first part of the name of the bean
	 * @param suffix the rest of the name of the bean
	 * @param method the method that creates the bean
	 * @return the definition
	 */
	RootBeanDefinition register(String store, String suffix, String method) {
		RootBeanDefinition definition = new RootBeanDefinition(this.factory);
		definition.setFactoryMethodName(method);
		definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, store);
		definition.setDefaultCandidate(false);
		String name = store + suffix;
		if (!this.registry.isBeanNameInUse(name)) {
			this.registry.registerBeanDefinition(name, definition);
		}
		return definition;
	}

	/**
	 * Register an alias for a bean of the default store, if it is ours: the name that the
	 * bean would have if another store were the default.
	 * @param bean the name of the bean
	 * @param store the name of the default store
	 * @param suffix the rest of the other name
	 */
	void alias(String bean, String store, String suffix) {
		String name = store + suffix;
		if (this.registry.containsBeanDefinition(bean) && !this.registry.isBeanNameInUse(name)) {
			this.registry.registerAlias(bean, name);
		}
	}

}
