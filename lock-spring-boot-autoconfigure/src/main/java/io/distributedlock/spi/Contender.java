package io.distributedlock.spi;

import java.util.concurrent.CompletionStage;

/**
 * One JVM's claim to one lock. It may keep a place in line at the store from its first
 * attempt on, or be a plain retry: the engine can't tell.
 * <p>
 * The engine makes one attempt at a time. The contender ends with a grant or with
 * {@link #withdraw()}. The engine also withdraws a contender whose attempt has not been
 * answered within a time-out of the engine's own, while that attempt is still under way.
 *
 * @since 0.1.0
 */
public interface Contender {

	/**
	 * Make one attempt: ask the store for the lock, in one set of requests that can end
	 * in one grant, all under the owner id of the request.
	 * @param request what to ask for
	 * @return the outcome; completed exceptionally counts as an
	 * {@linkplain AttemptOutcome.Unavailable unavailable} store with unknown outcome
	 */
	CompletionStage<AttemptOutcome> attempt(LeaseRequest request);

	/**
	 * Give up the place in line, if there is one, and end the wake-ups. An attempt that
	 * is under way leaves no place in line behind when it is answered later. Does not
	 * undo attempts: {@link BackendConnection#abandon} does. Repeatable.
	 */
	void withdraw();

}
