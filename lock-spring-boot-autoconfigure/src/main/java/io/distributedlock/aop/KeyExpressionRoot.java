package io.distributedlock.aop;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * The root object of key expressions.
 */
@SuppressWarnings("ArrayRecordComponent") // short-lived, never compared
record KeyExpressionRoot(Method method, @Nullable Object[] args, @Nullable Object target, Class<?> targetClass) {
}
