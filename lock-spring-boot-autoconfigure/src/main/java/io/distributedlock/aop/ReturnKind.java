package io.distributedlock.aop;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;

/**
 * What the type that a method returns means for its lock.
 */
record ReturnKind(Class<?> type) {

	static ReturnKind of(Method method, Class<?> targetClass) {
		return new ReturnKind(ResolvableType.forMethodReturnType(method, targetClass).resolve(method.getReturnType()));
	}

	/**
	 * Return what a skipped call returns. A primitive is returned to a scheduler only,
	 * which does not look at it.
	 */
	@Nullable Object emptyResult() {
		if (this.type == Optional.class) {
			return Optional.empty();
		}
		if (this.type == OptionalInt.class) {
			return OptionalInt.empty();
		}
		if (this.type == OptionalLong.class) {
			return OptionalLong.empty();
		}
		if (this.type == OptionalDouble.class) {
			return OptionalDouble.empty();
		}
		return hasEmptyResult() ? null : Array.get(Array.newInstance(this.type, 1), 0);
	}

	boolean hasEmptyResult() {
		return this.type == void.class || !this.type.isPrimitive();
	}

	/**
	 * Return whether the work may go on after the method has returned.
	 */
	boolean isAsynchronous() {
		return Future.class.isAssignableFrom(this.type) || CompletionStage.class.isAssignableFrom(this.type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(this.type) != null || isPublisher(this.type);
	}

	/**
	 * By name, because the types may be missing.
	 */
	private static boolean isPublisher(@Nullable Class<?> type) {
		if (type == null) {
			return false;
		}
		String name = type.getName();
		if (name.equals("org.reactivestreams.Publisher") || name.equals("java.util.concurrent.Flow$Publisher")
				|| name.equals("kotlinx.coroutines.flow.Flow") || name.equals("kotlinx.coroutines.Job")) {
			return true;
		}
		for (Class<?> parent : type.getInterfaces()) {
			if (isPublisher(parent)) {
				return true;
			}
		}
		return isPublisher(type.getSuperclass());
	}

	static boolean isSuspending(Method method) {
		return KotlinDetector.isSuspendingFunction(method);
	}

}
