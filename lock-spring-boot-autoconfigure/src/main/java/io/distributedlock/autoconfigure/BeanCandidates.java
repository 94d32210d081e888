package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/**
 * The candidate beans for an injection by type.
 *
 * @param beanFactory the bean factory
 * @param type their type
 */
record BeanCandidates(ConfigurableListableBeanFactory beanFactory, Class<?> type) {

	/**
	 * Return their names.
	 */
	List<String> names() {
		return names((definition) -> true);
	}

	/**
	 * Return their names in quotes, for a message.
	 */
	String quoted() {
		return names().stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
	}

	/**
	 * Return whether exactly one of them would be injected.
	 */
	boolean isAnyOneMeant() {
		return names().size() == 1 || names(BeanDefinition::isPrimary).size() == 1
				|| names((definition) -> !definition.isFallback()).size() == 1;
	}

	private List<String> names(Predicate<BeanDefinition> wanted) {
		return Arrays.stream(this.beanFactory.getBeanNamesForType(this.type, true, false))
			.filter((name) -> isCandidate(name, wanted))
			.toList();
	}

	private boolean isCandidate(String name, Predicate<BeanDefinition> wanted) {
		if (!this.beanFactory.containsBeanDefinition(name)) {
			return true;
		}
		BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(name);
		boolean injectable = definition.isAutowireCandidate()
				&& !(definition instanceof AbstractBeanDefinition details && !details.isDefaultCandidate());
		return injectable && wanted.test(definition);
	}

}
