package io.distributedlock.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Checks that the result of a locked method is not work that its lock does not cover.
 *
 * @param method the method
 * @param targetClass the class of the bean
 * @param declared the type that the method declares to return
 */
record LockedResult(Method method, Class<?> targetClass, ResolvableType declared) {

	static LockedResult of(Method method, Class<?> targetClass) {
		return new LockedResult(method, targetClass, ResolvableType.forMethodReturnType(method, targetClass));
	}

	/**
	 * Return a result, unless it is deferred work.
	 * @throws InvalidLockDeclarationException if it is deferred work, so that its caller
	 * does not take that work for locked
	 */
	@Nullable Object require(@Nullable Object result) {
		Class<?> deferred = DeferredWork.findIn(result, this.declared);
		if (deferred != null) {
			throw new InvalidLockDeclarationException(this.method, this.targetClass, null,
					"the method has returned a " + deferred.getTypeName()
							+ ", whose work runs OUTSIDE of the lock: the lock has been released, and"
							+ " the work may have begun; do the work in the method and return what it gives, or use"
							+ " LockTemplate.executeAsync");
		}
		return result;
	}

}
