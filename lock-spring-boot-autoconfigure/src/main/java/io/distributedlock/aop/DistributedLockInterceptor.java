package io.distributedlock.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

import io.distributedlock.spi.Scopes;

/**
 * Puts the locks of a method around its calls, both those through a proxy and those from
 * woven code.
 */
class DistributedLockInterceptor implements MethodInterceptor {

	private final LockOperationSource operations;

	private final Supplier<Scopes> scopes;

	private final Supplier<TickScopeOpener> ticks;

	/**
	 * Create the interceptor.
	 * @param operations the locks of the methods
	 * @param scopes opens the scopes of calls
	 * @param ticks opens the scopes of the scheduler's calls that have a tick
	 */
	DistributedLockInterceptor(LockOperationSource operations, Supplier<Scopes> scopes,
			Supplier<TickScopeOpener> ticks) {
		this.operations = operations;
		this.scopes = scopes;
		this.ticks = ticks;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = invocation.getMethod();
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target) : method.getDeclaringClass();
		LockedBody.Body body = this.operations.isWoven(method, targetClass)
				? () -> ProxiedInvocation.call(method, targetClass, target, invocation::proceed) : invocation::proceed;
		return call(method, targetClass, target, invocation.getArguments(), body);
	}

	boolean isLocked(Method method, Class<?> targetClass) {
		return this.operations.isLocked(method, targetClass);
	}

	/**
	 * Run a body under the locks of its method. If one of them is busy, do what its
	 * annotation specifies.
	 * @param method the method, which {@linkplain #isLocked is locked}
	 * @param target the object on which the method is called; {@code null} for a static
	 * one
	 * @return the result of the body or of a fallback, or an empty result if the call is
	 * skipped
	 */
	@Nullable Object call(Method method, Class<?> targetClass, @Nullable Object target, @Nullable Object[] args,
			LockedBody.Body body) throws Throwable {
		List<LockOperation> locks = this.operations.operations(method, targetClass);
		ScheduledRun shown = ScheduledRun.take();
		ScheduledRun run = locks.get(0).scheduled() ? shown : null;
		if (locks.size() == 1) {
			return LockedCall.of(locks.get(0), target, args, run).run(body, this.scopes, this.ticks);
		}
		return nested(LockedCall.inOrder(locks, target, args, run, this.scopes.get()), body);
	}

	private @Nullable Object nested(List<LockedCall> calls, LockedBody.Body body) throws Throwable {
		List<LockedCall> inner = calls.subList(1, calls.size());
		return calls.get(0).run(inner.isEmpty() ? body : () -> nested(inner, body), this.scopes, this.ticks);
	}

}
