package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds methods that the container calls on the bean itself instead of its proxy, because
 * the proxy does not exist yet, or no longer exists.
 */
final class LifecycleCallback {

	private static final List<String> ANNOTATIONS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "jakarta.annotation.Resource", "jakarta.inject.Inject",
			"org.springframework.beans.factory.annotation.Autowired",
			"org.springframework.beans.factory.annotation.Value");

	private static final List<String> INFERRED = List.of("close", "shutdown");

	private LifecycleCallback() {
	}

	/**
	 * Return why a method is a callback.
	 * @param definition the definition of the bean, if it has one
	 * @return the reason in words, or {@code null} if the container does not call it
	 */
	static @Nullable String find(Method method, Class<?> type, @Nullable BeanDefinition definition) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		for (String annotation : ANNOTATIONS) {
			if (annotations.isPresent(annotation)) {
				return "@" + annotation.substring(annotation.lastIndexOf('.') + 1);
			}
		}
		if (isAware(method, type)) {
			return "an Aware interface";
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
		if (name.equals("stop") && stopsByItself(type)) {
			return "SmartLifecycle, whose stop(Runnable) calls it";
		}
		if (definition != null && name.equals(definition.getInitMethodName())) {
			return "the init method of the bean";
		}
		return (definition != null && isDestroyMethod(name, type, definition)) ? "the destroy method of the bean"
				: null;
	}

	private static boolean isAware(Method method, Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.filter((candidate) -> Aware.class.isAssignableFrom(candidate) && candidate != Aware.class)
			.anyMatch((aware) -> ClassUtils.hasMethod(aware, method.getName(), method.getParameterTypes()));
	}

	private static boolean stopsByItself(Class<?> type) {
		Method stop = SmartLifecycle.class.isAssignableFrom(type)
				? ClassUtils.getMethodIfAvailable(type, "stop", Runnable.class) : null;
		return stop != null && stop.getDeclaringClass() == SmartLifecycle.class;
	}

	/**
	 * Return whether a method is the declared destroy method of the bean, or is found by
	 * its name.
	 */
	private static boolean isDestroyMethod(String name, Class<?> type, BeanDefinition definition) {
		String declared = definition.getDestroyMethodName();
		if (AbstractBeanDefinition.INFER_METHOD.equals(declared)) {
			return INFERRED.contains(name);
		}
		return (declared != null) ? name.equals(declared)
				: name.equals("close") && AutoCloseable.class.isAssignableFrom(type);
	}

}
