package io.distributedlock.aop;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockBusyException;
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

	/** What has had the tick of this run, where this lock is another one. */
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
	 * Return the locks of a call in the order in which they are taken. What a scheduler's
	 * run asks for besides, the tick above all, goes to the first one: it keeps the other
	 * instances away. The others are not waited for either, and if one is busy the tick
	 * has been missed.
	 */
	static List<LockedCall> inOrder(List<LockOperation> locks, @Nullable Object target, @Nullable Object[] args,
			@Nullable ScheduledRun run, Scopes scopes) {
		List<LockedCall> calls = new ArrayList<>();
		locks.stream().map((operation) -> of(operation, target, args, null)).sorted(order(scopes)).forEach(calls::add);
		if (run != null) {
			LockedCall first = calls.get(0).by(run, null);
			LockRequest ticked = (first.request.getTick() != null) ? first.request : null;
			calls.replaceAll((call) -> call.by(ScheduledRun.once(), ticked));
			calls.set(0, first);
		}
		return calls;
	}

	/**
	 * Return an order that is the same for all methods, however they write their
	 * annotations: those that lock the same keys do not wait for each other crosswise.
	 */
	private static Comparator<LockedCall> order(Scopes scopes) {
		return Comparator.comparing((LockedCall call) -> scopes.backendOf(call.request))
			.thenComparing((call) -> call.request.getKeys().get(0));
	}

	private LockedCall by(ScheduledRun caller, @Nullable LockRequest ticked) {
		return new LockedCall(this.operation, caller.applyTo(this.request), this.target, this.args, caller, ticked);
	}

	/**
	 * Run a body inside the scope of this lock, or do what the annotation says when it is
	 * busy.
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
			// Only a scheduler's call has a tick; that it has run is not for its error
			// handler, whatever busy means to the method.
			return this.operation.emptyResult();
		}
		catch (LockUnavailableException ex) {
			if (this.run == null || !scopes.get().areStopped()) {
				throw ex;
			}
			// Schedulers that finish their work late go on to begin runs until they are
			// destroyed; other instances are there for these.
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
