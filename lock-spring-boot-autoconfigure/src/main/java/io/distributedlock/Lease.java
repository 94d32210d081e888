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
 * before the request was sent. It therefore ends here before the backend may grant the
 * lock to another client. This holds as long as the clocks of this machine and of the
 * backend run at the same speed within the drift allowance (ttl / 100 + 2 ms).
 * <p>
 * A thread that pauses between a call to {@link #isHeld()} and a write does not notice a
 * loss in between. Only a resource that compares {@linkplain #fencingToken() fencing
 * tokens} refuses the late write.
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
	 * Return the fencing token, which is strictly greater than that of every lease on the
	 * same key that ended before this one was requested. If one of the two leases is
	 * exclusive, it suffices that the other one ended before this one was granted. A
	 * shared lease that was granted to a reader beside another reader of the same JVM is
	 * ordered only against exclusive leases.
	 * <p>
	 * The token was granted together with the lease and does not change. Only tokens of
	 * the same key and backend can be compared. A resource that refuses smaller tokens
	 * has to compare those of exclusive leases only, since several shared leases or
	 * permits are valid at the same time.
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
	 * Return whether this lease is held, by local knowledge and without a round trip. The
	 * result turns {@code false} before the backend may grant the lock to another client.
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
	 * Ask the backend whether this lease still exists. Takes one round trip.
	 * @throws LeaseLostException if it does not
	 * @throws LockUnavailableException if the backend could not be asked; the lease
	 * remains held until its validity ends
	 */
	void verify();

	/**
	 * Extend this lease so that it is held for at least the given time from now. An
	 * extension never shortens the lease, and later renewals preserve it. Takes one round
	 * trip.
	 * @param atLeast the time, greater than zero and at most
	 * {@link LockRequest#MAX_HOLD_TIME}
	 * @throws InvalidLockRequestException if the time exceeds the maximum hold of the
	 * request, these bounds or those of the backend
	 * @throws LeaseLostException if the lease was lost
	 * @throws LockUnavailableException if the backend could not be asked; the lease
	 * remains as before
	 */
	void extend(Duration atLeast);

	/**
	 * Register a listener that is called once when this lease is lost. If it is lost
	 * already, the listener is called immediately; after a release it is never called.
	 * Listeners run on an executor of the lock engine and may block.
	 * @param listener the listener
	 */
	void onLost(Consumer<? super Lease> listener);

	/**
	 * Release this lease and wait for the backend's answer, for little longer than one
	 * call timeout. Repeated calls return the result of the first. The wait can't be
	 * interrupted; an interrupt flag stays set.
	 * <p>
	 * If the backend can't be asked, this is logged, the release is repeated in the
	 * background until one TTL has passed, and {@code true} is returned. The backend may
	 * also refuse the release permanently, for example because its user lacks a right.
	 * This is logged as an error, and the lock stays taken until its TTL has passed.
	 * @return {@code false} if the lease had been lost before, or if the backend refuses
	 * the release permanently
	 */
	boolean release();

	/**
	 * Release this lease without waiting for the backend.
	 * @return completed with {@code false} if the lease had been lost before, or if the
	 * backend refuses the release permanently; never completed exceptionally
	 */
	CompletionStage<Boolean> releaseAsync();

	/**
	 * {@linkplain #release() Release} this lease, and throw an exception if it had been
	 * lost.
	 * @throws LeaseLostException if the lease had been lost
	 */
	@Override
	void close();

}
