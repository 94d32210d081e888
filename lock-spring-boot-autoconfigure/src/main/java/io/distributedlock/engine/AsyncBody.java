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

/**
 * An asynchronous body under its lease, which lasts until the body's own stage has
 * completed: only then is its work over.
 * <p>
 * Cancelling the result does not end the lease. It ends its renewal, and asks the body to
 * stop if the body's stage can be asked.
 *
 * @param <T> what the body's stage completes with
 */
final class AsyncBody<T extends @Nullable Object> {

	private static final Logger logger = LoggerFactory.getLogger(AsyncBody.class);

	private final DefaultLease lease;

	private final CompletableFuture<T> result;

	private final Executor executor;

	AsyncBody(DefaultLease lease, CompletableFuture<T> result, Executor executor) {
		this.lease = lease;
		this.result = result;
		this.executor = executor;
	}

	void run(Function<? super Lease, ? extends CompletionStage<T>> body) {
		if (this.result.isDone()) {
			// A caller that has cancelled meanwhile wants no work to begin.
			this.lease.end();
			return;
		}
		CompletionStage<T> work;
		try {
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
			// When the work ends can't be known: the lease ends with its ttl.
			this.lease.stopRenewal();
			this.result.completeExceptionally(ex);
		}
	}

	/**
	 * Ask the body to stop. A plain {@link CompletableFuture} is left alone: its
	 * cancellation would complete it and stop nothing, so that the end of the work could
	 * not be seen any more.
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
		// Not on the body's thread: what hangs on the result may block.
		this.lease.end().whenCompleteAsync((held, unexpected) -> {
			LeaseLostException lost = Boolean.FALSE.equals(held) ? this.lease.lostException() : null;
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
