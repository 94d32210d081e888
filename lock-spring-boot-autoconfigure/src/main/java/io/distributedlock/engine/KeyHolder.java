package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.LossReason;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LeaseGrant;

/**
 * Keeps the leases that this JVM has on a key: one exclusive lease, or members of a
 * group.
 * <p>
 * An exclusive lease is in the way of the waiters in this JVM until the store has
 * answered its release. If its {@link CohortGrant} allows it, the lease is handed over to
 * the first of them instead. Members of a group are in the way of no waiter: the store
 * decides who may enter, and lets a waiting writer close the door. Readers may join the
 * grant of another reader, and all of them use it at the same time.
 * <p>
 * The fields are guarded by the monitor of the key's queue. Methods that do not enter it
 * are called by the queue, which holds it.
 */
final class KeyHolder {

	private final KeyQueue queue;

	private @Nullable DefaultLease exclusive;

	// Replaced by the first member, since nearly all keys have none.
	private Set<DefaultLease> members = Set.of();

	// The latest grant to readers of this JVM.
	private @Nullable CohortGrant readers;

	private int tokensWanted = 1;

	KeyHolder(KeyQueue queue) {
		this.queue = queue;
	}

	/**
	 * Return the leases that are held, and those with an unanswered release.
	 */
	List<DefaultLease> leases() {
		synchronized (this.queue) {
			return all((lease) -> true);
		}
	}

	private List<DefaultLease> all(Predicate<DefaultLease> condition) {
		List<DefaultLease> leases = new ArrayList<>();
		if (this.exclusive != null && condition.test(this.exclusive)) {
			leases.add(this.exclusive);
		}
		this.members.stream().filter(condition).forEach(leases::add);
		return leases;
	}

	boolean isEmpty() {
		return this.exclusive == null && this.members.isEmpty();
	}

	/**
	 * Return whether the store has yet to answer the release of a lease, or the lease is
	 * held.
	 */
	boolean has(DefaultLease lease) {
		synchronized (this.queue) {
			return this.exclusive == lease || this.members.contains(lease);
		}
	}

	/**
	 * Return whether the waiter at the head of the queue must not attempt because of an
	 * exclusive lease. In general it has to wait until the release has been answered. A
	 * single or last attempt is sent as soon as the lease is no longer held.
	 */
	boolean isInTheWayOf(Waiter head) {
		return this.exclusive != null && (this.exclusive.isHeld() || !head.isOver());
	}

	/**
	 * Return "busy" as the outcome for a request if leases are held now that exclude it,
	 * or {@code null} otherwise.
	 */
	@Nullable LastOutcome busy(ResolvedRequest request) {
		if (this.exclusive != null && this.exclusive.isHeld()) {
			return busy(this.exclusive.remaining());
		}
		return this.members.isEmpty() ? null : busyByMembers(request);
	}

	private @Nullable LastOutcome busyByMembers(ResolvedRequest request) {
		List<DefaultLease> held = this.members.stream().filter(DefaultLease::isHeld).toList();
		Stream<Duration> rests = held.stream().map(DefaultLease::remaining);
		if (held.stream().anyMatch((member) -> member.request().mode() != request.mode())) {
			return rests.max(Comparator.naturalOrder()).map(this::busy).orElse(null);
		}
		boolean full = request.mode() == LockMode.PERMITS && held.size() >= request.permits();
		return full ? rests.min(Comparator.naturalOrder()).map(this::busy).orElse(null) : null;
	}

	private LastOutcome busy(Duration rest) {
		return LastOutcome.busy(rest, this.queue.parts().now());
	}

	/**
	 * Return how many tokens to reserve for a waiter. For an exclusive lease tokens are
	 * reserved only for waiters that it can be handed over to: with a range that remains
	 * unused at every grant, tokens would outrun the clock. Readers may join at any time,
	 * so for them as many are reserved as the previous grant has used.
	 */
	int tokenCount(ResolvedRequest head, WaitQueue waiters) {
		int most = this.queue.parts().settings().handOver().maxCount() + 1;
		int wanted = switch (head.mode()) {
			case EXCLUSIVE -> {
				int served = head.minHold().isZero() ? waiters.successors() : 0;
				yield (served == 0) ? 1 : Math.max(this.tokensWanted, 2 * served + 1);
			}
			case SHARED -> Math.max(this.tokensWanted, 2 * waiters.successors() + 1);
			case PERMITS -> 1;
		};
		return Math.min(most, wanted);
	}

	void hold(DefaultLease lease) {
		if (lease.request().mode() == LockMode.EXCLUSIVE) {
			this.exclusive = lease;
			return;
		}
		addMember(lease);
		if (lease.request().mode() == LockMode.SHARED) {
			this.readers = lease.cohort();
		}
	}

	private void addMember(DefaultLease lease) {
		if (this.members.isEmpty()) {
			this.members = new LinkedHashSet<>();
		}
		this.members.add(lease);
		lease.cohort().enter();
	}

	/**
	 * Hand over an exclusive lease that its holder has released, if the grant allows it.
	 * @return the lease of the next holder, or {@code null}
	 */
	@Nullable DefaultLease handOver(DefaultLease released, ResolvedRequest next) {
		if (this.exclusive != released || next.mode() != LockMode.EXCLUSIVE) {
			return null;
		}
		DefaultLease successor = next(released.cohort(), next);
		if (successor != null) {
			this.exclusive = successor;
		}
		return successor;
	}

	/**
	 * Let a reader use the latest grant to readers of this JVM, if there is one that
	 * allows it.
	 * @return the lease of the reader, or {@code null}
	 */
	@Nullable DefaultLease join(ResolvedRequest reader) {
		if (this.readers == null || reader.mode() != LockMode.SHARED) {
			return null;
		}
		DefaultLease joined = next(this.readers, reader);
		if (joined != null) {
			addMember(joined);
		}
		return joined;
	}

	private @Nullable DefaultLease next(CohortGrant cohort, ResolvedRequest next) {
		ClockReading now = ClockReading.now(this.queue.parts().clock());
		if (!cohort.canHandOverTo(next, this.queue.parts().settings().handOver(), now)) {
			return null;
		}
		cohort.handOver(now.nanoTime());
		return new DefaultLease(this.queue.parts(), next, cohort, now.nanoTime(),
				cohort.validUntil(next, now.nanoTime()));
	}

	/**
	 * Let a reader leave the grant that it uses together with others.
	 * @param cooldown how long the key has to stay taken after its release
	 * @return {@code false} if it is the last one, so that the lease has to go back to
	 * the store
	 */
	boolean leave(DefaultLease member, Duration cooldown) {
		synchronized (this.queue) {
			CohortGrant cohort = member.cohort();
			if (!cooldown.isZero()) {
				// Otherwise the release would begin a cooldown of no length.
				cohort.keepTaken(this.queue.parts().now() + cooldown.toNanos());
			}
			if (cohort.leave() > 0) {
				this.members.remove(member);
				return true;
			}
			// No reader may join while the release is under way.
			cohort.stopHandOver();
			return false;
		}
	}

	/**
	 * Called when the store has answered the release of a lease, or the lease was lost.
	 * @return {@code false} if it was not the last one on its grant, for example because
	 * it was handed over
	 */
	boolean end(DefaultLease ended) {
		if (this.exclusive == ended) {
			this.exclusive = null;
		}
		else if (!this.members.remove(ended)) {
			return false;
		}
		CohortGrant cohort = ended.cohort();
		cohort.end();
		if (this.readers == cohort) {
			this.readers = null;
		}
		int used = cohort.handOvers() + 1;
		// After a grant that ran out of tokens, twice as many are requested the next
		// time.
		this.tokensWanted = cohort.isOutOfTokens() ? 2 * used : used;
		return true;
	}

	/**
	 * Prevent that further holders use the grants of this JVM, because they are about to
	 * be taken away.
	 */
	void stopHandOver() {
		leases().forEach((lease) -> {
			synchronized (this.queue) {
				lease.cohort().stopHandOver();
			}
		});
	}

	/**
	 * Called when the store no longer has a grant of this JVM.
	 */
	void taken(CohortGrant cohort) {
		List<DefaultLease> lost;
		synchronized (this.queue) {
			cohort.stopHandOver();
			lost = all((lease) -> lease.cohort() == cohort);
		}
		lost.forEach((lease) -> {
			if (lease.expireIfOver(this.queue.parts().now())) {
				lease.lose(LossReason.TAKEN);
			}
		});
	}

	/**
	 * Called when another JVM waits for a lease of this one.
	 */
	void contended(LeaseGrant grant, Duration pollAfter) {
		synchronized (this.queue) {
			long pollsAt = this.queue.parts().now() + pollAfter.toNanos();
			all((lease) -> lease.cohort().grant().ownerId().equals(grant.ownerId()))
				.forEach((lease) -> lease.cohort().contended(pollsAt));
		}
	}

}
