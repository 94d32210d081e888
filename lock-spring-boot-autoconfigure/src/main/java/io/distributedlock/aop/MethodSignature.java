package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.springframework.util.ClassUtils;

/**
 * The text of a method, in errors and as the key of a lock with neither name nor key. It
 * is the same in every JVM, and different for overloaded and inherited methods.
 */
final class MethodSignature {

	private MethodSignature() {
	}

	static String of(Method method, Class<?> targetClass) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(",", "(", ")"));
		return owner(method, targetClass).getName() + "." + method.getName() + parameters;
	}

	static String brief(Method method, Class<?> targetClass) {
		return owner(method, targetClass).getSimpleName() + "." + method.getName();
	}

	/**
	 * The names of generated classes differ from JVM to JVM.
	 */
	private static Class<?> owner(Method method, Class<?> targetClass) {
		if (!Proxy.isProxyClass(targetClass)) {
			return ClassUtils.getUserClass(targetClass);
		}
		return Arrays.stream(ClassUtils.getAllInterfacesForClass(targetClass))
			.filter((candidate) -> ClassUtils.hasMethod(candidate, method.getName(), method.getParameterTypes()))
			.findFirst()
			.orElse(method.getDeclaringClass());
	}

}
