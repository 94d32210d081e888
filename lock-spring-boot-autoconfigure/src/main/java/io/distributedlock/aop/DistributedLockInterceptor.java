package io.distributedlock.aop;

import java.util.Optional;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.TickDoneException;
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
		ScheduledRun shown = ScheduledRun.take();
		ScheduledRun run = operation.scheduled() ? shown : null;
		LockRequest request = operation.request(target, invocation.getArguments(), run);
		Scopes.Scope scope;
		try {
			Optional<Scopes.Scope> opened = open(request, operation.skipsWhenBusy(run != null));
			if (opened.isEmpty()) {
				return operation.emptyResult();
			}
			scope = opened.get();
		}
		catch (TickDoneException ex) {
			// Only a scheduler's call has a tick; that it has run is not for its error
			// handler, whatever busy means to the method.
			return operation.emptyResult();
		}
		catch (LockBusyException ex) {
			if (operation.fallback() == null) {
				throw ex;
			}
			return operation.fallback().call(target, invocation.getArguments(), ex);
		}
		if (run != null) {
			scope.cooldown(run.cooldown(request));
		}
		return LockedBody.run(invocation, scope, operation.onLost());
	}

	private Optional<Scopes.Scope> open(LockRequest request, boolean skipsWhenBusy) {
		return skipsWhenBusy ? this.scopes.get().tryOpen(request) : Optional.of(this.scopes.get().open(request));
	}

}
