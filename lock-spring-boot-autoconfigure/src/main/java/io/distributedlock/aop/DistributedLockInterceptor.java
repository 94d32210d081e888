package io.distributedlock.aop;

import java.util.Optional;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.Scopes;

/**
 * Runs a method inside a scope, or does what its annotation says when the lock is busy.
 */
class DistributedLockInterceptor implements MethodInterceptor {

	private static final Logger logger = LoggerFactory.getLogger(DistributedLockInterceptor.class);

	private final LockOperationSource operations;

	private final Supplier<Scopes> scopes;

	private final Supplier<TickOpening> ticks;

	/**
	 * Create the interceptor.
	 * @param operations the locks of the methods
	 * @param scopes opens the scopes of calls
	 * @param ticks opens the scopes of the scheduler's calls that have a tick
	 */
	DistributedLockInterceptor(LockOperationSource operations, Supplier<Scopes> scopes, Supplier<TickOpening> ticks) {
		this.operations = operations;
		this.scopes = scopes;
		this.ticks = ticks;
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
		boolean skips = operation.skipsWhenBusy(run != null);
		Scopes.Scope scope;
		try {
			Optional<Scopes.Scope> opened = open(request, skips);
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
		catch (LockUnavailableException ex) {
			if (run == null || !this.scopes.get().areStopped()) {
				throw ex;
			}
			// Schedulers that finish their work late go on to begin runs until they are
			// destroyed; other instances are there for these.
			logger.debug("A run of {} is left out: the application stops", request);
			return operation.emptyResult();
		}
		catch (LockBusyException ex) {
			if (skips) {
				return operation.emptyResult();
			}
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

	private Optional<Scopes.Scope> open(LockRequest request, boolean skips) {
		if (request.getTick() != null) {
			return Optional.of(this.ticks.get().open(request));
		}
		return skips ? this.scopes.get().tryOpen(request) : Optional.of(this.scopes.get().open(request));
	}

}
