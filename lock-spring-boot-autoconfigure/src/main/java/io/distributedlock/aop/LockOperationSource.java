package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodClassKey;

/**
 * Knows the lock of each method, resolved once.
 */
class LockOperationSource {

	private final LockOperationFactory factory;

	// Concurrent maps of immutable values; whoever loses a race has computed an equal
	// one.
	private final ConcurrentMap<MethodClassKey, Optional<LockDeclaration>> declarations = new ConcurrentHashMap<>();

	private final ConcurrentMap<MethodClassKey, LockOperation> operations = new ConcurrentHashMap<>();

	LockOperationSource(LockOperationFactory factory) {
		this.factory = factory;
	}

	boolean isLocked(Method method, Class<?> targetClass) {
		return declaration(method, targetClass) != null;
	}

	@Nullable LockDeclaration declaration(Method method, Class<?> targetClass) {
		return this.declarations
			.computeIfAbsent(new MethodClassKey(method, targetClass),
					(key) -> Optional.ofNullable(LockDeclaration.find(method, targetClass)))
			.orElse(null);
	}

	/**
	 * Return the lock of a method that {@linkplain #isLocked is locked}.
	 * @throws InvalidLockDeclarationException if its annotation can't do what it says
	 */
	LockOperation operation(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		LockOperation operation = this.operations.get(key);
		if (operation == null) {
			LockDeclaration declaration = declaration(method, targetClass);
			if (declaration == null) {
				throw new IllegalStateException(method + " declares no lock on " + targetClass);
			}
			operation = this.factory.create(method, targetClass, declaration);
			this.operations.put(key, operation);
		}
		return operation;
	}

}
