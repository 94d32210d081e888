package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import org.springframework.util.ClassUtils;

/**
 * Detects whether {@link DistributedLockAspect} was woven into classes when they were
 * loaded, and into which of their methods.
 */
final class WeavingDetector {

	/**
	 * The infix of the names of the methods to which the weaver moves the bodies of
	 * advised methods.
	 */
	private static final String BODY = "_aroundBody";

	private static final boolean ACTIVE = findAspect();

	private WeavingDetector() {
	}

	/**
	 * The weaver adds a method to the aspect by which woven classes access it. The aspect
	 * is never loaded without AspectJ, because its methods use AspectJ's types.
	 */
	private static boolean findAspect() {
		ClassLoader classLoader = WeavingDetector.class.getClassLoader();
		return ClassUtils.isPresent("org.aspectj.lang.ProceedingJoinPoint", classLoader)
				&& ClassUtils.hasMethod(DistributedLockAspect.class, "aspectOf");
	}

	static boolean isActive() {
		return ACTIVE;
	}

	/**
	 * Return whether a method was woven. Methods of a class that was loaded before the
	 * weaver, or that is excluded from weaving, are not woven.
	 */
	static boolean isWoven(Method method) {
		return ACTIVE && Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
			.anyMatch((candidate) -> isBodyOf(candidate, method));
	}

	private static boolean isBodyOf(Method candidate, Method method) {
		if (!Modifier.isStatic(candidate.getModifiers()) || !candidate.getName().startsWith(method.getName() + BODY)) {
			return false;
		}
		// The object, the parameters, the join point.
		int first = Modifier.isStatic(method.getModifiers()) ? 0 : 1;
		Class<?>[] actual = candidate.getParameterTypes();
		Class<?>[] wanted = method.getParameterTypes();
		return actual.length == first + wanted.length + 1
				&& Arrays.equals(actual, first, first + wanted.length, wanted, 0, wanted.length);
	}

}
