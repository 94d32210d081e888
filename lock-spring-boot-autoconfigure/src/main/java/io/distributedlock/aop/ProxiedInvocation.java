package io.distributedlock.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * A call that a proxy has locked, of a method into which the lock was woven as well. It
 * is shown to the woven code, which then does not lock again. Re-entering would cost no
 * round trip, but would compute the key again, and some expressions yield another key
 * then.
 */
final class ProxiedInvocation {

	// Confined to the thread that makes the call.
	private static final ThreadLocal<@Nullable ProxiedInvocation> CURRENT = new ThreadLocal<>();

	private final Method method;

	private final @Nullable Object target;

	private ProxiedInvocation(Method method, @Nullable Object target) {
		this.method = method;
		this.target = target;
	}

	/**
	 * Continue a call under its locks.
	 */
	static @Nullable Object call(Method method, Class<?> targetClass, @Nullable Object target, LockedBody.Body body)
			throws Throwable {
		ProxiedInvocation outer = CURRENT.get();
		CURRENT.set(new ProxiedInvocation(AopUtils.getMostSpecificMethod(method, targetClass), target));
		try {
			return body.proceed();
		}
		finally {
			if (outer != null) {
				CURRENT.set(outer);
			}
			else {
				CURRENT.remove();
			}
		}
	}

	/**
	 * Take the call over, once.
	 * @return whether the method on this thread is the one that the proxy has called
	 */
	static boolean take(Method method, @Nullable Object target) {
		ProxiedInvocation current = CURRENT.get();
		if (current == null || current.target != target || !current.method.equals(method)) {
			return false;
		}
		CURRENT.remove();
		return true;
	}

}
