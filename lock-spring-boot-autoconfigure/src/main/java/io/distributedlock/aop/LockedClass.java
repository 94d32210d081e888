package io.distributedlock.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Determines which locked methods of a class a proxy can intercept.
 *
 * @param methods the methods that declare a lock, including those that can't be
 * intercepted
 * @param woven the methods that need no proxy, because their locks were woven into them
 */
record LockedClass(Class<?> type, List<Method> methods, Set<Method> woven) {

	static LockedClass of(Class<?> type, LockOperationSource operations) {
		List<Method> methods = callable(type).stream().filter((method) -> operations.isLocked(method, type)).toList();
		Set<Method> woven = methods.stream()
			.filter((method) -> operations.isWoven(method, type))
			.collect(Collectors.toUnmodifiableSet());
		return new LockedClass(type, methods, woven);
	}

	/**
	 * Return whether a proxy that extends the class could intercept a method.
	 */
	static boolean isInterceptable(Method method, Class<?> type) {
		int excluded = Modifier.PRIVATE | Modifier.STATIC | Modifier.FINAL;
		return (method.getModifiers() & excluded) == 0 && !Modifier.isFinal(type.getModifiers());
	}

	/**
	 * Return all methods of the class and its superclasses, except overridden ones.
	 */
	private static Set<Method> callable(Class<?> type) {
		Set<Method> methods = new LinkedHashSet<>();
		ReflectionUtils.doWithMethods(type, methods::add, (method) -> !method.isSynthetic()
				&& method.getDeclaringClass() != Object.class && isNotOverridden(method, type));
		return methods;
	}

	private static boolean isNotOverridden(Method method, Class<?> type) {
		return Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())
				|| AopUtils.getMostSpecificMethod(method, type).equals(method);
	}

	boolean isLocked() {
		return !this.methods.isEmpty();
	}

	List<Method> methodsThatNeedAProxy() {
		return this.methods.stream().filter((method) -> !this.woven.contains(method)).toList();
	}

	boolean needsProxy() {
		return !methodsThatNeedAProxy().isEmpty();
	}

	/**
	 * Return whether the class was generated to implement interfaces, like clients and
	 * repositories. It is proxied by the same interfaces, although all of it is final.
	 */
	boolean isInterfaceProxy() {
		return Proxy.isProxyClass(this.type);
	}

	/**
	 * Refuse methods that no proxy intercepts.
	 * @throws InvalidLockDeclarationException if there is one
	 */
	void checkMethods() {
		for (Method method : methodsThatNeedAProxy()) {
			int modifiers = method.getModifiers();
			if (Modifier.isPrivate(modifiers)) {
				throw notIntercepted(method, "is private");
			}
			if (Modifier.isStatic(modifiers)) {
				throw notIntercepted(method, "is static");
			}
			if (Modifier.isFinal(modifiers) && isWrittenUnderALock(method)) {
				throw notIntercepted(method, "is final");
			}
		}
	}

	/**
	 * The author of an annotated class can't change methods that it inherits from a
	 * framework.
	 */
	private boolean isWrittenUnderALock(Method method) {
		return !LockDeclaration.find(method, method.getDeclaringClass()).isEmpty();
	}

	private InvalidLockDeclarationException notIntercepted(Method method, String reason) {
		return new InvalidLockDeclarationException(method, this.type, null,
				"the method " + reason + ", so that no proxy can intercept it; make it an overridable method of the"
						+ " bean, or use LockTemplate inside of it");
	}

	/**
	 * Refuse a class that has to be extended to be proxied, but can't be.
	 * @param byInterfaces whether a proxy may implement the interfaces of the class
	 * instead
	 * @throws InvalidLockDeclarationException if it can't be proxied
	 */
	void checkClass(boolean byInterfaces) {
		if (needsProxy() && Modifier.isFinal(this.type.getModifiers())
				&& !(byInterfaces && this.type.getInterfaces().length > 0)) {
			throw new InvalidLockDeclarationException(methodsThatNeedAProxy().get(0), this.type, null,
					"the class is " + (this.type.isRecord() ? "a record and so " : "")
							+ "final, so that no proxy can extend it; make it extensible, or use LockTemplate inside"
							+ " of the method");
		}
	}

	/**
	 * Refuse methods that the proxy lacks because no interface declares them.
	 * @param proxyClass the class of the proxy, which implements interfaces only
	 * @param operations distinguishes methods with an annotation of their own, which are
	 * meant to be called, from those that their type covers
	 * @throws InvalidLockDeclarationException if there is one
	 */
	void checkInterfaces(Class<?> proxyClass, LockOperationSource operations) {
		for (Method method : methodsThatNeedAProxy()) {
			if (isLockedByItself(method, operations) && !hasMethod(proxyClass, method)) {
				throw new InvalidLockDeclarationException(method, this.type, null,
						"the bean is proxied by its interfaces, and none of them has the method, so that it can't be"
								+ " intercepted; add it to an interface, or proxy the class"
								+ " (spring.aop.proxy-target-class=true)");
			}
		}
	}

	/**
	 * Return whether a method has an annotation of its own, not only that of its class.
	 */
	boolean isLockedByItself(Method method, LockOperationSource operations) {
		return operations.declarations(method, this.type).stream().anyMatch((declaration) -> !declaration.onType());
	}

	private boolean hasMethod(Class<?> proxyClass, Method method) {
		for (Class<?> candidate : proxyClass.getInterfaces()) {
			for (Method declared : candidate.getMethods()) {
				if (declared.getName().equals(method.getName())
						&& AopUtils.getMostSpecificMethod(declared, this.type).equals(method)) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Return the methods that a generated subclass can't pass on to the bean. They run on
	 * the proxy itself, whose fields are not set.
	 */
	List<String> methodsThatSeeNoFields() {
		Set<Method> methods = new LinkedHashSet<>();
		ReflectionUtils.doWithMethods(this.type, methods::add, (method) -> isPublicAndFinal(method.getModifiers())
				&& method.getDeclaringClass() != Object.class && hasFields(method.getDeclaringClass()));
		return methods.stream().map((method) -> MethodSignature.of(method, this.type)).toList();
	}

	private static boolean isPublicAndFinal(int modifiers) {
		return Modifier.isPublic(modifiers) && Modifier.isFinal(modifiers) && !Modifier.isStatic(modifiers);
	}

	private static boolean hasFields(Class<?> type) {
		for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
			for (Field field : owner.getDeclaredFields()) {
				if (!Modifier.isStatic(field.getModifiers())) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Return the public static methods of a class whose annotation reads as if it covered
	 * them.
	 */
	List<String> staticMethodsOutsideTheLock(LockOperationSource operations) {
		boolean onType = this.methods.stream()
			.flatMap((method) -> operations.declarations(method, this.type).stream())
			.anyMatch(LockDeclaration::onType);
		Set<Method> methods = new LinkedHashSet<>();
		if (onType) {
			ReflectionUtils.doWithLocalMethods(this.type, methods::add);
		}
		return methods.stream()
			.filter((method) -> Modifier.isPublic(method.getModifiers()) && Modifier.isStatic(method.getModifiers()))
			.filter((method) -> !method.isSynthetic() && !operations.isLocked(method, this.type))
			.map((method) -> MethodSignature.of(method, this.type))
			.toList();
	}

}
