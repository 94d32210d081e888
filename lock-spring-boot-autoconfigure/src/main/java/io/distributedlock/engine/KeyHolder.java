package io.distributedlock.engine;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LossReason;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseGrant;

/**
 * Keeps the lease that this JVM has on a key, if any. The lease is in the way of the
 * waiters in this JVM until the store has answered its release. If its
 * {@link CohortGrant} allows it, the lease is handed over to the first of them instead.
 * <p>
 * The fields are guarded by the monitor of the key's queue. Methods that do not enter it
 * are called by the queue, which holds it.
 */
final class KeyHolder {

	private final KeyQueue queue;

	private @Nullable DefaultLease lease;

	private int tokensWanted = 1;

	KeyHolder(KeyQueue queue) {
		this.queue = queue;
	}

	/**
	 * Return the lease, if there is one.
	 */
	@Nullable DefaultLease lease() {
		synchronized (this.queue) {
			return this.lease;
		}
	}

	/**
	 * Return whether the waiter at the head of the queue must not attempt because of this
	 * lease. In general it has to wait until the release has been answered. A single or
	 * last attempt is sent as soon as the lease is no longer held.
	 */
	boolean isInTheWayOf(Waiter head) {
		return this.lease != null && (this.lease.isHeld() || !head.isOver());
	}

	/**
	 * Return "busy" as the outcome if a lease is held now, or {@code null} otherwise.
	 */
	@Nullable LastOutcome busy() {
		return (this.lease != null && this.lease.isHeld())
				? LastOutcome.busy(this.lease.remaining(), this.queue.parts().now()) : null;
	}

	/**
	 * Return how many tokens to reserve for a waiter. Tokens are reserved only for
	 * waiters that its lease can be handed over to: with a range that remains unused at
	 * every grant, tokens would outrun the clock.
	 */
	int tokenCount(ResolvedRequest head, WaitQueue waiters) {
		int served = head.minHold().isZero() ? waiters.successors() : 0;
		int most = this.queue.parts().settings().handOver().maxCount() + 1;
		return (served == 0) ? 1 : Math.min(most, Math.max(this.tokensWanted, 2 * served + 1));
	}

	void hold(DefaultLease lease) {
		this.lease = lease;
	}

	/**
	 * Hand over a lease that its holder has released, if the grant allows it.
	 * @return the lease of the next holder, or {@code null}
	 */
	@Nullable DefaultLease handOver(DefaultLease released, ResolvedRequest next) {
		ClockReading now = ClockReading.now(this.queue.parts().clock());
		CohortGrant cohort = released.cohort();
		if (this.lease != released || !cohort.canHandOverTo(next, this.queue.parts().settings().handOver(), now)) {
			return null;
		}
		cohort.handOver(now.nanoTime());
		DefaultLease successor = new DefaultLease(this.queue.parts(), next, cohort, now.nanoTime(),
				cohort.validUntil(next, now.nanoTime()));
		this.lease = successor;
		return successor;
	}

	/**
	 * Called when a lease is no longer in the way.
	 * @return {@code false} if it was not in the way, for example because it was handed
	 * over
	 */
	boolean end(DefaultLease ended) {
		if (this.lease != ended) {
			return false;
		}
		this.lease = null;
		CohortGrant cohort = ended.cohort();
		cohort.end();
		int used = cohort.handOvers() + 1;
		// After a grant that ran out of tokens, twice as many are requested the next
		// time.
		this.tokensWanted = cohort.isOutOfTokens() ? 2 * used : used;
		return true;
	}

	/**
	 * Prevent further hand-overs of the lease of this JVM, if any, because it is about to
	 * be taken away.
	 */
	void stopHandOver() {
		synchronized (this.queue) {
			if (this.lease != null) {
				this.lease.cohort().stopHandOver();
			}
		}
	}

	/**
	 * Called when the store no longer has the lease of this JVM.
	 */
	void taken(CohortGrant cohort) {
		DefaultLease lost = null;
		synchronized (this.queue) {
			cohort.stopHandOver();
			if (this.lease != null && this.lease.cohort() == cohort) {
				lost = this.lease;
			}
		}
		if (lost != null && lost.expireIfOver(this.queue.parts().now())) {
			lost.lose(LossReason.TAKEN);
		}
	}

	/**
	 * Called when another JVM waits for the lease of this one.
	 */
	void contended(LeaseGrant grant, Duration pollAfter) {
		synchronized (this.queue) {
			if (this.lease != null && this.lease.cohort().grant().ownerId().equals(grant.ownerId())) {
				this.lease.cohort().contended(this.queue.parts().now() + pollAfter.toNanos());
			}
		}
	}

}
