package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

import io.distributedlock.spi.Scopes;

/**
 * Puts the locks of a method around the calls that come through a proxy.
 */
class DistributedLockInterceptor implements MethodInterceptor {

	private final LockedCalls calls;

	/**
	 * Create the interceptor.
	 * @param operations the locks of the methods
	 * @param scopes opens the scopes of calls
	 * @param ticks opens the scopes of the scheduler's calls that have a tick
	 */
	DistributedLockInterceptor(LockOperationSource operations, Supplier<Scopes> scopes,
			Supplier<TickScopeOpener> ticks) {
		this.calls = new LockedCalls(operations, scopes, ticks);
	}

	LockedCalls calls() {
		return this.calls;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = invocation.getMethod();
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target) : method.getDeclaringClass();
		LockedBody.Body body = this.calls.isWoven(method, targetClass)
				? () -> ProxiedInvocation.call(method, targetClass, target, invocation::proceed) : invocation::proceed;
		return this.calls.call(method, targetClass, target, invocation.getArguments(), body);
	}

}
