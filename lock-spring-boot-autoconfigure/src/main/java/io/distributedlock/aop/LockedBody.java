package io.distributedlock.aop;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LeaseLostException;
import io.distributedlock.OnLost;
import io.distributedlock.spi.LockObserver.BodyScope;
import io.distributedlock.spi.Scopes;

/**
 * A body that runs inside a scope, and its result for the caller.
 */
final class LockedBody {

	private final Scopes.Scope scope;

	private final OnLost onLost;

	private final @Nullable BodyInterrupt interrupt;

	private LockedBody(Scopes.Scope scope, OnLost onLost) {
		this.scope = scope;
		this.onLost = onLost;
		this.interrupt = (onLost == OnLost.INTERRUPT) ? new BodyInterrupt() : null;
	}

	/**
	 * Run a body and leave its scope. An exception of the body takes precedence over all
	 * others.
	 */
	static @Nullable Object run(Body body, Scopes.Scope scope, OnLost onLost) throws Throwable {
		return new LockedBody(scope, onLost).run(body);
	}

	private @Nullable Object run(Body body) throws Throwable {
		Object result;
		try {
			if (this.interrupt != null) {
				this.scope.lease().onLost(this.interrupt);
			}
			if (this.onLost == OnLost.IGNORE) {
				this.scope.ignoreLoss();
			}
			try (BodyScope observed = this.scope.openBody()) {
				result = body.proceed();
			}
		}
		catch (Throwable ex) {
			leave(ex);
			throw ex;
		}
		Optional<LeaseLostException> lost = leave();
		if (lost.isPresent()) {
			throw lost.get();
		}
		return result;
	}

	private void leave(Throwable thrown) {
		try {
			leave().filter((lost) -> lost != thrown).ifPresent(thrown::addSuppressed);
		}
		catch (RuntimeException ex) {
			thrown.addSuppressed(ex);
		}
	}

	/**
	 * Clear the interrupt before the scope ends, so that it does not disturb the release.
	 */
	private Optional<LeaseLostException> leave() {
		if (this.interrupt != null) {
			this.interrupt.end();
		}
		Optional<LeaseLostException> lost = this.scope.close();
		return (this.onLost == OnLost.IGNORE) ? Optional.empty() : lost;
	}

	/**
	 * Code that runs under a lock.
	 */
	@FunctionalInterface
	interface Body {

		@Nullable Object proceed() throws Throwable;

	}

}
