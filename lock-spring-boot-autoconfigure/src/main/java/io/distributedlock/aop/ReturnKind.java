package io.distributedlock.aop;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
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

	static boolean isSuspending(Method method) {
		return KotlinDetector.isSuspendingFunction(method);
	}

}
