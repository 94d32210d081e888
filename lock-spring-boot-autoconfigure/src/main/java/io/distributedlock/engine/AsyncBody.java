package io.distributedlock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockKeys;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockObserver.BodyScope;

/**
 * Runs an asynchronous body under its lease. The lease lasts until the body's own stage
 * has completed, because only then is its work finished.
 * <p>
 * Cancelling the result does not end the lease. It ends the renewal, and cancels the
 * body's stage if that stops the work.
 *
 * @param <T> the type of the result
 */
final class AsyncBody<T extends @Nullable Object> {

	private static final Logger logger = LoggerFactory.getLogger(AsyncBody.class);

	private final ManagedLease lease;

	private final CompletableFuture<T> result;

	private final Executor executor;

	AsyncBody(ManagedLease lease, CompletableFuture<T> result, Executor executor) {
		this.lease = lease;
		this.result = result;
		this.executor = executor;
	}

	void run(Function<? super Lease, ? extends CompletionStage<T>> body) {
		if (this.result.isDone()) {
			// The caller has cancelled meanwhile, so the work does not begin.
			this.lease.end();
			return;
		}
		CompletionStage<T> work;
		try (BodyScope observed = this.lease.openScope()) {
			work = body.apply(this.lease);
		}
		catch (Throwable ex) {
			end(null, ex);
			return;
		}
		if (work == null) {
			end(null, new IllegalStateException(LockKeys.printable(
					"The asynchronous body under the lock on " + this.lease.keys() + " returned null, not a stage")));
			return;
		}
		this.result.whenComplete((value, failure) -> {
			if (this.result.isCancelled()) {
				stop(work);
			}
		});
		try {
			work.whenComplete(this::end);
		}
		catch (Throwable ex) {
			// The end of the work can't be observed, so the lease ends with its TTL.
			this.lease.stopRenewal();
			this.result.completeExceptionally(ex);
		}
	}

	/**
	 * Ask the body to stop. A plain {@link CompletableFuture} is left alone: cancelling
	 * it would complete it without stopping the work, whose end could then no longer be
	 * observed.
	 */
	private void stop(CompletionStage<T> work) {
		this.lease.stopRenewal();
		if (work instanceof CompletableFuture<T> future && stopsWork(future)) {
			try {
				future.cancel(true);
			}
			catch (Throwable ex) {
				logger.warn("The body under the lock on {} could not be cancelled",
						LockKeys.printable(this.lease.keys().toString()), ex);
			}
		}
	}

	private static boolean stopsWork(CompletableFuture<?> future) {
		try {
			return future.getClass().getMethod("cancel", boolean.class).getDeclaringClass() != CompletableFuture.class;
		}
		catch (NoSuchMethodException ex) {
			return false;
		}
	}

	private void end(@Nullable T value, @Nullable Throwable failure) {
		// Not on the body's thread, because dependents of the result may block.
		this.lease.end().whenCompleteAsync((held, unexpected) -> {
			LeaseLostException lost = this.lease.isLost() ? this.lease.lostException() : null;
			if (failure != null) {
				Throwable cause = CompletionCauses.unwrap(failure);
				if (lost != null) {
					cause.addSuppressed(lost);
				}
				this.result.completeExceptionally(cause);
			}
			else if (lost != null) {
				this.result.completeExceptionally(lost);
			}
			else {
				this.result.complete(value);
			}
		}, this.executor);
	}

}
