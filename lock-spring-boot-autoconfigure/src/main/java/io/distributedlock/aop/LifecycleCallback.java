package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Finds methods that the container calls on a bean itself and not on its proxy, because
 * there is none yet or no longer.
 */
final class LifecycleCallback {

	private static final List<String> ANNOTATIONS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "org.springframework.beans.factory.annotation.Autowired",
			"jakarta.inject.Inject");

	private static final List<String> INFERRED = List.of("close", "shutdown");

	private LifecycleCallback() {
	}

	/**
	 * Return what makes a method a callback.
	 * @param definition the definition of the bean, if it has one
	 * @return the words for it, or {@code null} if the container does not call it
	 */
	static @Nullable String find(Method method, Class<?> type, @Nullable BeanDefinition definition) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		for (String annotation : ANNOTATIONS) {
			if (annotations.isPresent(annotation)) {
				return "@" + annotation.substring(annotation.lastIndexOf('.') + 1);
			}
		}
		if (method.getParameterCount() > 0) {
			return null;
		}
		String name = method.getName();
		if (InitializingBean.class.isAssignableFrom(type) && name.equals("afterPropertiesSet")) {
			return "InitializingBean";
		}
		if (DisposableBean.class.isAssignableFrom(type) && name.equals("destroy")) {
			return "DisposableBean";
		}
		if (definition != null && name.equals(definition.getInitMethodName())) {
			return "the init method of the bean";
		}
		return (definition != null && isDestroyMethod(name, definition)) ? "the destroy method of the bean" : null;
	}

	private static boolean isDestroyMethod(String name, BeanDefinition definition) {
		String declared = definition.getDestroyMethodName();
		return name.equals(declared)
				|| (AbstractBeanDefinition.INFER_METHOD.equals(declared) && INFERRED.contains(name));
	}

}
