package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

import io.distributedlock.LockBusyException;

/**
 * The method that is called instead of a body whose lock is busy.
 */
record FallbackMethod(Method method, boolean takesException) {

	/**
	 * Find the fallback of a method. If there are two, the one with a parameter for the
	 * exception is chosen.
	 * @throws IllegalArgumentException with the mistake in the name
	 */
	static FallbackMethod find(String name, Method method, Class<?> userClass) {
		Class<?>[] same = method.getParameterTypes();
		Class<?>[] withException = Arrays.copyOf(same, same.length + 1);
		withException[same.length] = LockBusyException.class;
		Method found = ReflectionUtils.findMethod(userClass, name, withException);
		boolean takesException = found != null;
		if (found == null) {
			found = ReflectionUtils.findMethod(userClass, name, same);
		}
		if (found == null || found.equals(method)) {
			throw new IllegalArgumentException("'" + name + "' is no other method of " + userClass.getName()
					+ " with the parameters " + parameters(same) + " or " + parameters(withException));
		}
		if (!returnsWhatFits(found, method, userClass)) {
			throw new IllegalArgumentException("'" + name + "' returns " + found.getReturnType().getSimpleName()
					+ ", but must return " + ReturnKind.of(method, userClass).type().getSimpleName());
		}
		ReflectionUtils.makeAccessible(found);
		return new FallbackMethod(found, takesException);
	}

	private static boolean returnsWhatFits(Method fallback, Method method, Class<?> userClass) {
		Class<?> wanted = ReturnKind.of(method, userClass).type();
		Class<?> offered = ReturnKind.of(fallback, userClass).type();
		return wanted == void.class || wanted == offered
				|| (!wanted.isPrimitive() && !offered.isPrimitive() && wanted.isAssignableFrom(offered));
	}

	private static String parameters(Class<?>[] types) {
		return Arrays.stream(types).map(Class::getSimpleName).toList().toString().replace('[', '(').replace(']', ')');
	}

	/**
	 * Call the method. Its exceptions are thrown unchanged.
	 */
	@Nullable Object call(@Nullable Object target, @Nullable Object[] args, LockBusyException busy) throws Throwable {
		@Nullable Object[] arguments = args;
		if (this.takesException) {
			arguments = Arrays.copyOf(args, args.length + 1);
			arguments[args.length] = busy;
		}
		return AopUtils.invokeJoinpointUsingReflection(target, this.method, arguments);
	}

}
