package io.distributedlock.aop;

import java.util.Optional;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.Scopes;

/**
 * Runs a method inside a scope, or does what its annotation says when the lock is busy.
 */
class DistributedLockInterceptor implements MethodInterceptor {

	private final LockOperationSource operations;

	private final Supplier<Scopes> scopes;

	DistributedLockInterceptor(LockOperationSource operations, Supplier<Scopes> scopes) {
		this.operations = operations;
		this.scopes = scopes;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		LockOperation operation = this.operations.operation(invocation.getMethod(), targetClass);
		boolean byScheduler = ScheduledRun.take() != null && operation.scheduled();
		LockRequest request = operation.request(target, invocation.getArguments(), byScheduler);
		if (operation.skipsWhenBusy(byScheduler)) {
			Optional<Scopes.Scope> scope = this.scopes.get().tryOpen(request);
			return scope.isPresent() ? LockedBody.run(invocation, scope.get(), operation.onLost())
					: operation.emptyResult();
		}
		Scopes.Scope scope;
		try {
			scope = this.scopes.get().open(request);
		}
		catch (LockBusyException ex) {
			if (operation.fallback() == null) {
				throw ex;
			}
			return operation.fallback().call(target, invocation.getArguments(), ex);
		}
		return LockedBody.run(invocation, scope, operation.onLost());
	}

}
