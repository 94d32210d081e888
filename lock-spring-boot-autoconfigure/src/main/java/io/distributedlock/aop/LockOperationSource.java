package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * Caches the locks of each method.
 */
class LockOperationSource {

	private final LockOperationFactory factory;

	// Concurrent maps of immutable values; the loser of a race has computed an equal
	// value.
	private final ConcurrentMap<MethodClassKey, List<LockDeclaration>> declarations = new ConcurrentHashMap<>();

	private final ConcurrentMap<MethodClassKey, List<LockOperation>> operations = new ConcurrentHashMap<>();

	private final ConcurrentMap<MethodClassKey, Boolean> woven = new ConcurrentHashMap<>();

	private final ConcurrentMap<Class<?>, LockedClass> classes = new ConcurrentHashMap<>();

	LockOperationSource(LockOperationFactory factory) {
		this.factory = factory;
	}

	boolean isLocked(Method method, Class<?> targetClass) {
		return !declarations(method, targetClass).isEmpty();
	}

	List<LockDeclaration> declarations(Method method, Class<?> targetClass) {
		return this.declarations.computeIfAbsent(new MethodClassKey(method, targetClass),
				(key) -> LockDeclaration.find(method, targetClass));
	}

	/**
	 * Return the locked methods of a class. Generated subclasses are replaced by the
	 * class that they extend.
	 */
	LockedClass lockedClass(Class<?> beanClass) {
		return this.classes.computeIfAbsent(ClassUtils.getUserClass(beanClass), (type) -> LockedClass.of(type, this));
	}

	/**
	 * Return whether the locks of a method were woven into it, so that its calls need no
	 * proxy.
	 */
	boolean isWoven(Method method, Class<?> targetClass) {
		return WeavingDetector.isActive()
				&& this.woven.computeIfAbsent(new MethodClassKey(method, targetClass), (key) -> WeavingDetector
					.isWoven(AopUtils.getMostSpecificMethod(method, ClassUtils.getUserClass(targetClass))));
	}

	/**
	 * Return the locks of a method that {@linkplain #isLocked is locked}: one for each
	 * annotation that applies.
	 * @throws InvalidLockDeclarationException if an annotation can't have its declared
	 * effect
	 */
	List<LockOperation> operations(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		List<LockOperation> resolved = this.operations.get(key);
		if (resolved == null) {
			List<LockDeclaration> declarations = declarations(method, targetClass);
			if (declarations.isEmpty()) {
				throw new IllegalStateException(method + " declares no lock on " + targetClass);
			}
			resolved = declarations.stream()
				.map((declaration) -> this.factory.create(method, targetClass, declaration))
				.toList();
			this.operations.put(key, resolved);
		}
		return resolved;
	}

}
