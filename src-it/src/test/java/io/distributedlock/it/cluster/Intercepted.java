package io.distributedlock.it.cluster;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.jspecify.annotations.Nullable;

/**
 * Creates objects whose calls an interceptor answers.
 */
final class Intercepted {

	private Intercepted() {
	}

	static <T> T by(Class<T> type, Interceptor interceptor) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> interceptor.answer(method, arguments)));
	}

	static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	/**
	 * Answers a call.
	 */
	interface Interceptor {

		@Nullable Object answer(Method method, Object @Nullable [] arguments) throws Throwable;

	}

}
