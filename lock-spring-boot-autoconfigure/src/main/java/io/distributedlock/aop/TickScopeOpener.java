package io.distributedlock.aop;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.Scopes;

/**
 * Opens scopes for the runs of ticks.
 * <p>
 * One attempt is not enough: an instance whose clock is behind may run an older tick at
 * the same moment. If it holds the lock for a millisecond, this instance would miss its
 * tick. When the other instance comes to that tick, the tick may be over, because a later
 * one has run. So a busy lock is awaited briefly, in vain if its holder is really
 * working.
 */
final class TickScopeOpener {

	private static final Duration PATIENCE = Duration.ofMillis(500);

	private final Scopes scopes;

	private final MissedTickListener listener;

	TickScopeOpener(Scopes scopes, MissedTickListener listener) {
		this.scopes = scopes;
		this.listener = listener;
	}

	/**
	 * Open a scope.
	 * @param request a request with a tick
	 * @throws LockBusyException if the tick was missed
	 * @throws io.distributedlock.TickDoneException if the tick has run
	 */
	Scopes.Scope open(LockRequest request) {
		try {
			return this.scopes.open(request);
		}
		catch (LockBusyException ex) {
			if (isPatient(request)) {
				throw missed(request, ex);
			}
		}
		try {
			return this.scopes.open(request.waitTime(PATIENCE));
		}
		catch (LockBusyException ex) {
			throw missed(request, ex);
		}
	}

	/**
	 * Report a tick that had its own lock and was missed because of another lock.
	 */
	void tellMissed(LockRequest request) {
		this.listener.missed(request);
	}

	private static boolean isPatient(LockRequest request) {
		return Objects.requireNonNull(request.getWaitTime()).compareTo(PATIENCE) >= 0;
	}

	private LockBusyException missed(LockRequest request, LockBusyException ex) {
		this.listener.missed(request);
		return ex;
	}

}
