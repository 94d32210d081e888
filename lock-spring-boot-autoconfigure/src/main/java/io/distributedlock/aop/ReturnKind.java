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
 * Properties of a method's return type that matter for its lock.
 */
record ReturnKind(Class<?> type) {

	static ReturnKind of(Method method, Class<?> targetClass) {
		return new ReturnKind(ResolvableType.forMethodReturnType(method, targetClass).resolve(method.getReturnType()));
	}

	/**
	 * Return the result of a skipped call. A primitive value is returned only to a
	 * scheduler, which ignores it.
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
