package io.distributedlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * One successful acquisition, limited in time. A lease is <em>held</em>, then either
 * <em>released</em> or <em>lost</em>; both are final.
 * <p>
 * A lease that is held is renewed in the background until it is released, unless its
 * request says otherwise. Its validity is counted on this JVM's monotonic clock from
 * before the request was sent, so that it ends here before the backend may give the lock
 * to somebody else. This holds as long as the clocks of this machine and of the backend
 * run at the same speed within the drift allowance (ttl / 100 + 2 ms). A thread that was
 * stopped between a look at {@link #isHeld()} and a write can't know: only a resource
 * that compares {@linkplain #fencingToken() fencing tokens} refuses the late write.
 * <p>
 * Leases are safe for use by several threads, and may be released by any of them.
 *
 * @since 0.1.0
 */
public interface Lease extends AutoCloseable {

	/**
	 * Return the key of this lease.
	 * @return the key as it was requested, without the prefix of the backend
	 * @throws IllegalStateException if there are several
	 */
	String key();

	/**
	 * Return all keys of this lease.
	 * @return the keys, in the order in which they were taken
	 */
	List<String> keys();

	/**
	 * Return the fencing token: strictly greater than that of every earlier lease on the
	 * same key. It was granted together with the lease and does not change. Only the
	 * order of tokens of the same key and backend means anything.
	 * @return the token
	 * @throws IllegalStateException if there are several keys
	 */
	long fencingToken();

	/**
	 * Return the fencing token of one of several keys.
	 * @param key one of the {@link #keys()}
	 * @return the token
	 * @throws IllegalArgumentException if this lease does not cover the key
	 */
	long fencingToken(String key);

	/**
	 * Return whether this lease is held, by local knowledge and without a round trip.
	 * Turns false before the backend may give the lock to somebody else.
	 * @return whether it is held
	 */
	boolean isHeld();

	/**
	 * Return the time for which this lease is held without further renewal, by local
	 * knowledge.
	 * @return the time that is left, zero if it is not held
	 */
	Duration remaining();

	/**
	 * Ask the backend whether this lease still stands. One round trip.
	 * @throws LeaseLostException if it does not
	 * @throws LockUnavailableException if the backend could not be asked; the lease goes
	 * on until its validity ends
	 */
	void verify();

	/**
	 * Extend this lease so that it is held for at least the given time from now, never
	 * less than before. Later renewals keep it. One round trip.
	 * @param atLeast the time, greater than zero and at most
	 * {@link LockRequest#MAX_HOLD_TIME}
	 * @throws InvalidLockRequestException if the time would go past the maximum hold of
	 * the request, or is out of these bounds or of those of the backend
	 * @throws LeaseLostException if the lease was lost
	 * @throws LockUnavailableException if the backend could not be asked; the lease goes
	 * on as before
	 */
	void extend(Duration atLeast);

	/**
	 * Register a listener that is called once when this lease is lost; at once when it
	 * was lost already, never after a release. Listeners run on an executor of the lock
	 * engine and may block.
	 * @param listener the listener
	 */
	void onLost(Consumer<? super Lease> listener);

	/**
	 * Release this lease and wait for the backend's answer, little longer than one call
	 * time-out. Repeated calls return the first one's result. Not interruptible; an
	 * interrupt flag stays set. If the backend can't be asked, that is logged, the
	 * release is repeated in the background until one ttl has passed, and {@code true} is
	 * returned. If the backend refuses the release for good, as when its user lacks a
	 * right, that is logged as an error, and the lock stays taken until its ttl has
	 * passed.
	 * @return {@code false} if the lease had been lost before, or if the backend refuses
	 * the release for good
	 */
	boolean release();

	/**
	 * Release this lease without waiting for the backend.
	 * @return completed with {@code false} if the lease had been lost before, or if the
	 * backend refuses the release for good; never exceptionally
	 */
	CompletionStage<Boolean> releaseAsync();

	/**
	 * {@linkplain #release() Release} this lease, and tell if it had been lost.
	 * @throws LeaseLostException if the lease had been lost
	 */
	@Override
	void close();

}
