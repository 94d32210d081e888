package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

/**
 * The beans of a type that can be meant where one of the type is asked for.
 *
 * @param beanFactory where the beans are
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
	 * Return their names for a sentence.
	 */
	String quoted() {
		return names().stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
	}

	/**
	 * Return whether it is clear which one is meant.
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
