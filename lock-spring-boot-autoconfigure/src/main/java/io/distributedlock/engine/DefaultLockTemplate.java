package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LeaseAction;
import io.distributedlock.LeaseFunction;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.TickDoneException;
import io.distributedlock.spi.LockObserver.BodyScope;
import io.distributedlock.spi.Scopes;
import io.distributedlock.spi.Scopes.Scope;

/**
 * Default {@link LockTemplate}, based on the engines of the stores and their scopes.
 *
 * @since 0.1.0
 */
public final class DefaultLockTemplate implements LockTemplate {

	private final LockEngines engines;

	private final Scopes scopes;

	/**
	 * Create a template for one store.
	 * @param engine acquires the leases
	 * @param scopes opens the scopes of {@code execute…}
	 */
	public DefaultLockTemplate(LockEngine engine, Scopes scopes) {
		this(LockEngines.of(engine), scopes);
	}

	/**
	 * Create a template.
	 * @param engines acquire the leases
	 * @param scopes opens the scopes of {@code execute…}
	 */
	public DefaultLockTemplate(LockEngines engines, Scopes scopes) {
		this.engines = engines;
		this.scopes = scopes;
	}

	@Override
	public <T extends @Nullable Object, X extends Throwable> T execute(LockRequest request, LeaseFunction<T, X> body)
			throws X {
		return run(this.scopes.open(request), body);
	}

	@Override
	public <X extends Throwable> void executeWithoutResult(LockRequest request, LeaseAction<X> body) throws X {
		run(this.scopes.open(request), returningTrue(body));
	}

	@Override
	public <T, X extends Throwable> Optional<T> tryExecute(LockRequest request,
			LeaseFunction<? extends @Nullable T, X> body) throws X {
		Optional<Scope> scope = this.scopes.tryOpen(request);
		if (scope.isEmpty()) {
			return Optional.empty();
		}
		T result = run(scope.get(), body);
		if (result == null) {
			throw new IllegalStateException("The body under the lock on "
					+ LockKeys.printable(request.getKeys().toString())
					+ " returned null, which tryExecute can't distinguish from a busy lock; use tryExecuteWithoutResult");
		}
		return Optional.of(result);
	}

	@Override
	public <X extends Throwable> boolean tryExecuteWithoutResult(LockRequest request, LeaseAction<X> body) throws X {
		Optional<Scope> scope = this.scopes.tryOpen(request);
		return scope.isPresent() && run(scope.get(), returningTrue(body));
	}

	private static <X extends Throwable> LeaseFunction<Boolean, X> returningTrue(LeaseAction<X> body) {
		return (lease) -> {
			body.run(lease);
			return true;
		};
	}

	private static <T extends @Nullable Object, X extends Throwable> T run(Scope scope,
			LeaseFunction<? extends T, X> body) throws X {
		T result;
		try (BodyScope observed = scope.openBody()) {
			result = body.apply(scope.lease());
		}
		catch (Throwable ex) {
			scope.close().ifPresent(ex::addSuppressed);
			throw ex;
		}
		Optional<LeaseLostException> lost = scope.close();
		if (lost.isPresent()) {
			throw lost.get();
		}
		return result;
	}

	@Override
	public Lease acquire(LockRequest request) {
		LockRequest prepared = this.engines.prepare(request);
		LockEngine engine = this.engines.engineFor(prepared);
		return engine.acquirer().acquire(prepared, engine.settings().waitTime());
	}

	@Override
	public Optional<Lease> tryAcquire(LockRequest request) {
		try {
			LockRequest prepared = this.engines.prepare(request);
			return Optional.of(this.engines.engineFor(prepared).acquirer().acquire(prepared, Duration.ZERO));
		}
		catch (LockBusyException | TickDoneException ex) {
			return Optional.empty();
		}
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockRequest request) {
		return acquireAsync(request, (engine) -> engine.settings().waitTime());
	}

	private CompletableFuture<Lease> acquireAsync(LockRequest request, Function<LockEngine, Duration> defaultWaitTime) {
		try {
			LockRequest prepared = this.engines.prepare(request);
			LockEngine engine = this.engines.engineFor(prepared);
			return engine.acquirer().acquireAsync(prepared, defaultWaitTime.apply(engine));
		}
		catch (Throwable ex) {
			// Callers' code, such as a customizer, may throw anything.
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public CompletionStage<Optional<Lease>> tryAcquireAsync(LockRequest request) {
		CompletableFuture<Lease> acquired = acquireAsync(request, (engine) -> Duration.ZERO);
		CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
		acquired.whenComplete((lease, failure) -> {
			if (lease != null) {
				if (!result.complete(Optional.of(lease))) {
					lease.releaseAsync();
				}
			}
			else if (failure instanceof LockBusyException || failure instanceof TickDoneException) {
				result.complete(Optional.empty());
			}
			else {
				result.completeExceptionally(failure);
			}
		});
		cancelWith(result, acquired);
		return result;
	}

	@Override
	public <T extends @Nullable Object> CompletionStage<T> executeAsync(LockRequest request,
			Function<? super Lease, ? extends CompletionStage<T>> body) {
		CompletableFuture<Lease> acquired = acquireAsync(request, (engine) -> engine.settings().waitTime());
		CompletableFuture<T> result = new CompletableFuture<>();
		Executor executor = this.engines.standard().callbacks();
		Thread caller = Thread.currentThread();
		acquired.whenComplete((lease, failure) -> {
			if (lease == null) {
				result.completeExceptionally(failure);
				return;
			}
			AsyncBody<T> work = new AsyncBody<>((ManagedLease) lease, result, executor);
			if (Thread.currentThread() == caller) {
				// The lease was available immediately. The body must not block the
				// caller.
				executor.execute(() -> work.run(body));
			}
			else {
				work.run(body);
			}
		});
		cancelWith(result, acquired);
		return result;
	}

	private static void cancelWith(CompletableFuture<?> result, CompletableFuture<?> underlying) {
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				underlying.cancel(true);
			}
		});
	}

}
