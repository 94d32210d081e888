package io.distributedlock.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * What a key expression reaches without a variable.
 */
@SuppressWarnings("ArrayRecordComponent") // lives for one evaluation and is compared with
											// nothing
record KeyExpressionRoot(Method method, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
}
