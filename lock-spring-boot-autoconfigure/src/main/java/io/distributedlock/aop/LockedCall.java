package io.distributedlock.aop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.Scopes;

/**
 * One lock around one call.
 */
final class LockedCall {

	private static final Logger logger = LoggerFactory.getLogger(LockedCall.class);

	private final LockOperation operation;

	private final @Nullable Object target;

	private final @Nullable Object[] args;

	private final @Nullable ScheduledRun run;

	private final LockRequest request;

	/** The request that received the tick of this run, if it is another lock's. */
	private final @Nullable LockRequest ticked;

	private LockedCall(LockOperation operation, LockRequest request, @Nullable Object target, @Nullable Object[] args,
			@Nullable ScheduledRun run, @Nullable LockRequest ticked) {
		this.operation = operation;
		this.request = request;
		this.target = target;
		this.args = args;
		this.run = run;
		this.ticked = ticked;
	}

	static LockedCall of(LockOperation operation, @Nullable Object target, @Nullable Object[] args,
			@Nullable ScheduledRun run) {
		return new LockedCall(operation, operation.request(target, args, run), target, args, run, null);
	}

	/**
	 * Return the locks of a call in the order in which they are taken. The requirements
	 * of a scheduler's run, above all the tick, go to the first exclusive lock, which
	 * excludes the other instances. By default, the run does not wait for the other locks
	 * either. If one of them is busy, the tick has been missed.
	 */
	static List<LockedCall> inOrder(List<LockOperation> locks, @Nullable Object target, @Nullable Object[] args,
			@Nullable ScheduledRun run, Scopes scopes) {
		List<LockedCall> calls = new ArrayList<>();
		locks.stream().map((operation) -> of(operation, target, args, null)).sorted(order(scopes)).forEach(calls::add);
		if (run != null) {
			int index = firstExclusive(calls);
			LockedCall first = calls.get(index).by(run, null);
			LockRequest ticked = (first.request.getTick() != null) ? first.request : null;
			calls.replaceAll((call) -> call.by(ScheduledRun.once(), ticked));
			calls.set(index, first);
		}
		return calls;
	}

	private static int firstExclusive(List<LockedCall> calls) {
		for (int i = 0; i < calls.size(); i++) {
			if (calls.get(i).request.getMode() == LockMode.EXCLUSIVE) {
				return i;
			}
		}
		return 0;
	}

	/**
	 * Return an order that is the same for all methods, whatever the order of their
	 * annotations. So methods with one key for each lock never wait for each other in a
	 * circle. The order of keys is that of a request with several. If one lock covers
	 * another, it is taken first.
	 */
	private static Comparator<LockedCall> order(Scopes scopes) {
		return Comparator.comparing((LockedCall call) -> scopes.backendOf(call.request))
			.thenComparing((call) -> call.request.getKeys().get(0).codePoints().toArray(), Arrays::compare)
			.thenComparing((call) -> call.request.getKeys().size(), Comparator.reverseOrder());
	}

	private LockedCall by(ScheduledRun caller, @Nullable LockRequest ticked) {
		return new LockedCall(this.operation, caller.applyTo(this.request), this.target, this.args, caller, ticked);
	}

	/**
	 * Run a body inside the scope of this lock. If the lock is busy, do what the
	 * annotation specifies.
	 */
	@Nullable Object run(LockedBody.Body body, Supplier<Scopes> scopes, Supplier<TickScopeOpener> ticks) throws Throwable {
		boolean skips = this.operation.skipsWhenBusy(this.run != null);
		Scopes.Scope scope;
		try {
			Optional<Scopes.Scope> opened = open(skips, scopes, ticks);
			if (opened.isEmpty()) {
				tellMissed(ticks);
				return this.operation.emptyResult();
			}
			scope = opened.get();
		}
		catch (TickDoneException ex) {
			// Only a scheduler's call has a tick. A tick that has run is not reported to
			// the scheduler's error handler, whatever the method does if its lock is
			// busy.
			return this.operation.emptyResult();
		}
		catch (LockUnavailableException ex) {
			if (this.run == null || !scopes.get().areStopped()) {
				throw ex;
			}
			// Schedulers that finish their work late continue to begin runs until they
			// are destroyed. Such runs are left to other instances.
			logger.debug("A run of {} is left out: the application stops", this.request);
			return this.operation.emptyResult();
		}
		catch (LockBusyException ex) {
			tellMissed(ticks);
			if (skips) {
				return this.operation.emptyResult();
			}
			if (this.operation.fallback() == null) {
				throw ex;
			}
			return this.operation.fallback().call(this.target, this.args, ex);
		}
		if (this.run != null) {
			scope.cooldown(this.run.cooldown(this.request));
		}
		return this.operation.result().require(LockedBody.run(body, scope, this.operation.onLost()));
	}

	private void tellMissed(Supplier<TickScopeOpener> ticks) {
		if (this.ticked != null) {
			ticks.get().tellMissed(this.ticked);
		}
	}

	private Optional<Scopes.Scope> open(boolean skips, Supplier<Scopes> scopes, Supplier<TickScopeOpener> ticks) {
		if (this.request.getTick() != null) {
			return Optional.of(ticks.get().open(this.request));
		}
		return skips ? scopes.get().tryOpen(this.request) : Optional.of(scopes.get().open(this.request));
	}

}
