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
 * Leads calls of woven methods to the locks of the application context that is meant: the
 * one that made the object; for objects that no context has made the only one there is.
 * Woven code is the JVM's, so this is static; what belongs to a context leaves with it.
 */
final class WovenLocks {

	// Concurrent. The contexts that are open.
	private static final Set<Home> OPEN = ConcurrentHashMap.newKeySet();

	private static final WeakIdentityMap<Home> HOMES = new WeakIdentityMap<>();

	private WovenLocks() {
	}

	/**
	 * Make the locks of a context known, until they are closed.
	 */
	static Home open(DistributedLockInterceptor locks) {
		Home home = new Home(locks);
		OPEN.add(home);
		return home;
	}

	/**
	 * Run the body of a woven method under its locks.
	 * @param target the object, {@code null} for a static method
	 * @throws LockUnavailableException if no context is there whose locks could be meant
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
	 * Bridges and the methods of generated subclasses lead to the method that is meant.
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
	 * What woven code knows of an application context.
	 */
	static final class Home {

		// Written by the thread that closes the context. A closed one is not kept.
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
