package io.distributedlock.backend.zookeeper;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Removes the nodes of places for good: through lost connections, until it is done or the
 * session has ended and taken the node along.
 *
 * @param calls how requests are repeated
 */
record Removals(Calls calls) {

	/**
	 * Remove a place.
	 * @return completed when it is gone, with whether it was there until now
	 */
	CompletableFuture<Boolean> remove(Place place) {
		return untilGone(place, (session) -> session.requests().delete(place.path()));
	}

	/**
	 * Remove a place and begin a cooldown in its stead, or neither: where the place is no
	 * longer there none begins, so that this may be repeated.
	 * @return completed when the place is gone, with whether it was there until now
	 */
	CompletableFuture<Boolean> exchange(Place place, CooldownNode cooldown) {
		String begun = place.lockPath() + "/" + cooldown.name();
		return untilGone(place, (session) -> session.requests().exchange(place.path(), begun));
	}

	private CompletableFuture<Boolean> untilGone(Place place, Function<Session, CompletableFuture<String>> request) {
		AtomicInteger sent = new AtomicInteger();
		CompletableFuture<String> answer = new CompletableFuture<>();
		this.calls.in(place.session(), (session) -> {
			sent.incrementAndGet();
			return request.apply(session);
		}, answer);
		return answer.handle((removed, fault) -> {
			if (fault == null) {
				return CompletableFuture.completedFuture(true);
			}
			if (Faults.isNoNode(fault)) {
				// One of those before whose answer got lost may have done it.
				return CompletableFuture.completedFuture(sent.get() > 1);
			}
			return Faults.isSessionEnd(fault) ? CompletableFuture.completedFuture(false)
					: CompletableFuture.<Boolean>failedFuture(Faults.cause(fault));
		}).thenCompose((removed) -> removed);
	}

}
