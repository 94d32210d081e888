package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

import io.distributedlock.LockUnavailableException;

/**
 * Passes calls of woven methods to the locks of the right application context: the
 * context that created the object, or the only context for objects that none created.
 * Woven code belongs to the JVM, so this state is static; the state of a context is
 * removed with it.
 */
final class WovenLocks {

	// The open contexts. Concurrent.
	private static final Set<Home> OPEN = ConcurrentHashMap.newKeySet();

	private static final WeakIdentityMap<Home> HOMES = new WeakIdentityMap<>();

	private WovenLocks() {
	}

	/**
	 * Register the locks of a context until it is closed.
	 */
	static Home open(DistributedLockInterceptor locks) {
		Home home = new Home(locks);
		OPEN.add(home);
		return home;
	}

	/**
	 * Run the body of a woven method under its locks.
	 * @param target the object, {@code null} for a static method
	 * @throws LockUnavailableException if the context of the object is closed, if there
	 * is no context with locks, or if it can't be determined which one applies
	 */
	static @Nullable Object call(Method method, @Nullable Object target, @Nullable Object[] args, LockedBody.Body body)
			throws Throwable {
		if (isOfAnotherMethod(method) || ProxiedInvocation.take(method, target)) {
			return body.proceed();
		}
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target) : method.getDeclaringClass();
		Home home = (target != null) ? HOMES.get(target) : null;
		DistributedLockInterceptor locks = (home != null) ? home.locks : theOnlyOnes();
		if (!isLocked(method, targetClass, locks)) {
			return body.proceed();
		}
		if (locks == null) {
			throw new LockUnavailableException("The body of " + MethodSignature.of(method, targetClass)
					+ " does not run: " + whyThereAreNone(home));
		}
		return locks.call(method, targetClass, target, args, body);
	}

	/**
	 * Bridge methods and methods of generated subclasses call the method that is meant.
	 */
	private static boolean isOfAnotherMethod(Method method) {
		return method.isSynthetic()
				|| ClassUtils.getUserClass(method.getDeclaringClass()) != method.getDeclaringClass();
	}

	private static boolean isLocked(Method method, Class<?> targetClass, @Nullable DistributedLockInterceptor locks) {
		return (locks != null) ? locks.isLocked(method, targetClass)
				: !LockDeclaration.find(method, targetClass).isEmpty();
	}

	private static @Nullable DistributedLockInterceptor theOnlyOnes() {
		List<Home> open = List.copyOf(OPEN);
		return (open.size() == 1) ? open.get(0).locks : null;
	}

	private static String whyThereAreNone(@Nullable Home home) {
		if (home != null) {
			return "the application context of its object is closed";
		}
		return OPEN.isEmpty()
				? "its lock was woven into it, and there is no application context with locks, not yet or no more"
				: "its lock was woven into it, there are several application contexts, and none of them has made its"
						+ " object, so that it is not known whose locks are meant; make it a bean";
	}

	/**
	 * The registration of an application context with the woven code.
	 */
	static final class Home {

		// Set to null by the thread that closes the context, so that a closed context is
		// not retained.
		private volatile @Nullable DistributedLockInterceptor locks;

		private Home(DistributedLockInterceptor locks) {
			this.locks = locks;
		}

		/**
		 * Let calls of an object's methods use the locks of this context.
		 */
		void take(Object bean) {
			HOMES.put(bean, this);
		}

		void close() {
			OPEN.remove(this);
			this.locks = null;
		}

	}

}
