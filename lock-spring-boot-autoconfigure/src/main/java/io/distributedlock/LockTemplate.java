package io.distributedlock;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Runs code while a lock is held, or returns leases.
 * <p>
 * {@code execute…} opens a scope on its thread. Nested calls for the same key re-enter
 * without a round trip, and a running transaction keeps the lease until it has completed.
 * {@code acquire…} and the asynchronous methods return a lease of their own and never
 * re-enter.
 * <p>
 * {@code acquire} and {@code execute} wait up to the request's wait time,
 * {@code lock.wait-time} by default; {@code try…} makes one attempt unless the request
 * names a wait time. All throw a {@link LockUnavailableException} if the backend can't be
 * asked, a {@link LockInterruptedException} if interrupted while waiting, and an
 * {@link InvalidLockRequestException} if the request can't be served. A body never starts
 * without a lease.
 * <p>
 * {@code execute…} and {@code tryExecute…} throw a {@link LeaseLostException} if the
 * lease was lost before the body ended. If the body itself throws an exception, that one
 * is thrown, with the {@code LeaseLostException} as a suppressed exception.
 *
 * @since 0.1.0
 */
public interface LockTemplate {

	/**
	 * Run a body while the lock is held.
	 * @param <T> the type of the value
	 * @param <X> the exception of the body
	 * @param request what to lock, and how
	 * @param body the body
	 * @return what the body returned
	 * @throws X if the body failed
	 * @throws LockBusyException if another holder had the lock until the wait time was
	 * over
	 * @throws TickDoneException if the request's tick has run
	 * @throws LeaseLostException if the lease was lost before the body ended
	 */
	<T extends @Nullable Object, X extends Throwable> T execute(LockRequest request, LeaseFunction<T, X> body) throws X;

	/**
	 * Run a body while the lock is held.
	 * @param <T> the type of the value
	 * @param <X> the exception of the body
	 * @param key the key to lock
	 * @param body the body
	 * @return what the body returned
	 * @throws X if the body failed
	 * @see #execute(LockRequest, LeaseFunction)
	 */
	default <T extends @Nullable Object, X extends Throwable> T execute(String key, LeaseFunction<T, X> body) throws X {
		return execute(LockRequest.of(key), body);
	}

	/**
	 * Run a body without a result while the lock is held.
	 * @param <X> the exception of the body
	 * @param request what to lock, and how
	 * @param body the body
	 * @throws X if the body failed
	 * @see #execute(LockRequest, LeaseFunction)
	 */
	<X extends Throwable> void executeWithoutResult(LockRequest request, LeaseAction<X> body) throws X;

	/**
	 * Run a body without a result while the lock is held.
	 * @param <X> the exception of the body
	 * @param key the key to lock
	 * @param body the body
	 * @throws X if the body failed
	 * @see #execute(LockRequest, LeaseFunction)
	 */
	default <X extends Throwable> void executeWithoutResult(String key, LeaseAction<X> body) throws X {
		executeWithoutResult(LockRequest.of(key), body);
	}

	/**
	 * Run a body if the lock can be acquired.
	 * @param <T> the type of the value
	 * @param <X> the exception of the body
	 * @param request what to lock, and how
	 * @param body the body, which returns a value
	 * @return what the body returned; empty if the lock was busy or the request's tick
	 * has run
	 * @throws X if the body failed
	 * @throws LeaseLostException if the lease was lost before the body ended
	 * @throws IllegalStateException if the body returned {@code null}, after the release
	 */
	<T, X extends Throwable> Optional<T> tryExecute(LockRequest request, LeaseFunction<? extends @Nullable T, X> body)
			throws X;

	/**
	 * Run a body if the lock can be acquired.
	 * @param <T> the type of the value
	 * @param <X> the exception of the body
	 * @param key the key to lock
	 * @param body the body, which returns a value
	 * @return what the body returned; empty if the lock was busy
	 * @throws X if the body failed
	 * @see #tryExecute(LockRequest, LeaseFunction)
	 */
	default <T, X extends Throwable> Optional<T> tryExecute(String key, LeaseFunction<? extends @Nullable T, X> body)
			throws X {
		return tryExecute(LockRequest.of(key), body);
	}

	/**
	 * Run a body without a result if the lock can be acquired.
	 * @param <X> the exception of the body
	 * @param request what to lock, and how
	 * @param body the body
	 * @return whether the body ran; {@code false} if the lock was busy or the request's
	 * tick has run
	 * @throws X if the body failed
	 * @throws LeaseLostException if the lease was lost before the body ended
	 */
	<X extends Throwable> boolean tryExecuteWithoutResult(LockRequest request, LeaseAction<X> body) throws X;

	/**
	 * Run a body without a result if the lock can be acquired.
	 * @param <X> the exception of the body
	 * @param key the key to lock
	 * @param body the body
	 * @return whether the body ran; {@code false} if the lock was busy
	 * @throws X if the body failed
	 * @see #tryExecuteWithoutResult(LockRequest, LeaseAction)
	 */
	default <X extends Throwable> boolean tryExecuteWithoutResult(String key, LeaseAction<X> body) throws X {
		return tryExecuteWithoutResult(LockRequest.of(key), body);
	}

	/**
	 * Acquire a lease that the caller releases.
	 * @param request what to lock, and how
	 * @return the lease
	 * @throws LockBusyException if another holder had the lock until the wait time was
	 * over
	 * @throws TickDoneException if the request's tick has run
	 */
	Lease acquire(LockRequest request);

	/**
	 * Acquire a lease that the caller releases.
	 * @param key the key to lock
	 * @return the lease
	 * @throws LockBusyException if another holder had the lock until the wait time was
	 * over
	 */
	default Lease acquire(String key) {
		return acquire(LockRequest.of(key));
	}

	/**
	 * Acquire a lease that the caller releases, if the lock can be acquired.
	 * @param request what to lock, and how
	 * @return the lease; empty if the lock was busy or the request's tick has run
	 */
	Optional<Lease> tryAcquire(LockRequest request);

	/**
	 * Acquire a lease that the caller releases, if the lock can be acquired.
	 * @param key the key to lock
	 * @return the lease; empty if the lock was busy
	 */
	default Optional<Lease> tryAcquire(String key) {
		return tryAcquire(LockRequest.of(key));
	}

	/**
	 * As {@link #acquire(LockRequest)}, without blocking a thread. Cancelling the stage
	 * as a future ends the wait; a lease that was granted meanwhile is given back.
	 * @param request what to lock, and how
	 * @return completed with the lease, or exceptionally with what the blocking method
	 * throws
	 */
	CompletionStage<Lease> acquireAsync(LockRequest request);

	/**
	 * As {@link #acquire(String)}, without blocking a thread.
	 * @param key the key to lock
	 * @return completed with the lease, or exceptionally with what the blocking method
	 * throws
	 * @see #acquireAsync(LockRequest)
	 */
	default CompletionStage<Lease> acquireAsync(String key) {
		return acquireAsync(LockRequest.of(key));
	}

	/**
	 * As {@link #tryAcquire(LockRequest)}, without blocking a thread. Cancelling the
	 * stage as a future ends the wait; a lease that was granted meanwhile is given back.
	 * @param request what to lock, and how
	 * @return completed with the lease, or with empty if the lock was busy or the
	 * request's tick has run
	 */
	CompletionStage<Optional<Lease>> tryAcquireAsync(LockRequest request);

	/**
	 * As {@link #tryAcquire(String)}, without blocking a thread.
	 * @param key the key to lock
	 * @return completed with the lease, or with empty if the lock was busy
	 * @see #tryAcquireAsync(LockRequest)
	 */
	default CompletionStage<Optional<Lease>> tryAcquireAsync(String key) {
		return tryAcquireAsync(LockRequest.of(key));
	}

	/**
	 * Run an asynchronous body while the lock is held. The lease is released when the
	 * stage that the body returns has completed, normally or exceptionally.
	 * <p>
	 * Cancelling the returned stage as a future ends the wait. Once the body has begun,
	 * cancelling does not end the lease, because the work may still be running. The lease
	 * is no longer renewed. It is released when the body's stage completes, or is lost
	 * when its TTL has passed, which {@link Lease#onLost} reports to the body.
	 * <p>
	 * If the class of the body's stage has its own {@code cancel} method, as in many
	 * clients, that method is called. A plain
	 * {@link java.util.concurrent.CompletableFuture} is not cancelled, because that would
	 * hide the end of the work without causing it.
	 * @param <T> the type of the value
	 * @param request what to lock, and how
	 * @param body starts the work; runs on an executor of the lock engine
	 * @return completed as the body's stage once the lease was released; exceptionally
	 * with a {@link LeaseLostException} if the lease was lost before the work ended
	 */
	<T extends @Nullable Object> CompletionStage<T> executeAsync(LockRequest request,
			Function<? super Lease, ? extends CompletionStage<T>> body);

	/**
	 * Run an asynchronous body while the lock is held.
	 * @param <T> the type of the value
	 * @param key the key to lock
	 * @param body starts the work; runs on an executor of the lock engine
	 * @return completed as the body's stage once the lease was released
	 * @see #executeAsync(LockRequest, Function)
	 */
	default <T extends @Nullable Object> CompletionStage<T> executeAsync(String key,
			Function<? super Lease, ? extends CompletionStage<T>> body) {
		return executeAsync(LockRequest.of(key), body);
	}

}
