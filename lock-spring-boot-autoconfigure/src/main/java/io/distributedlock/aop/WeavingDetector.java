package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import org.springframework.util.ClassUtils;

/**
 * Tells whether {@link DistributedLockAspect} was woven into classes as they were loaded,
 * and into which of their methods.
 */
final class WeavingDetector {

	/**
	 * Where a weaver puts the body of a method around which it puts an advice.
	 */
	private static final String BODY = "_aroundBody";

	private static final boolean ACTIVE = findAspect();

	private WeavingDetector() {
	}

	/**
	 * The weaver adds to the aspect how woven classes reach it. Never loaded without
	 * AspectJ, whose types it has in its methods.
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
	 * Return whether a method was woven. A class that was loaded before the weaver came,
	 * or that the weaver was told to leave alone, has methods that were not.
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
