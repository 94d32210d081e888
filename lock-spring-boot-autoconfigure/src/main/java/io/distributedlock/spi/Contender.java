package io.distributedlock.spi;

import java.util.concurrent.CompletionStage;

/**
 * Contends for one lock on behalf of one JVM. A contender may keep a place in the store's
 * queue from its first attempt on, or simply retry; the engine treats both alike.
 * <p>
 * The engine makes one attempt at a time. The contender ends with a grant or with
 * {@link #withdraw()}. If an attempt is not answered within the engine's own timeout, the
 * engine withdraws the contender while that attempt is still under way.
 *
 * @since 0.1.0
 */
public interface Contender {

	/**
	 * Make one attempt: ask the store for the lock in one set of requests, which leads to
	 * one grant at most. All of them use the owner id of the request.
	 * @param request what to ask for
	 * @return the outcome; an exceptional completion counts as an
	 * {@linkplain AttemptOutcome.Unavailable unavailable} store with unknown outcome
	 */
	CompletionStage<AttemptOutcome> attempt(LeaseRequest request);

	/**
	 * Give up the place in the queue, if there is one, and end the wake-ups. An attempt
	 * that is under way leaves no place in the queue behind when it is answered later.
	 * Attempts are not undone; {@link BackendConnection#abandon} does that. Repeatable.
	 */
	void withdraw();

}
