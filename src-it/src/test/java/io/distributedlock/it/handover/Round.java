package io.distributedlock.it.handover;

import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.spi.LeaseGrant;

/**
 * The leases of one engine on one key, by their tokens, and the loss of the lock. All
 * times are those of the monotonic clock.
 * <p>
 * A hand-over is dated by the call that released the previous lease, because the engine
 * can't have decided earlier. A thread that stands still between the hand-over and the
 * body does not change that.
 */
final class Round {

	private static final long LONGEST_BODY = TimeUnit.MILLISECONDS.toNanos(3);

	private final ConcurrentSkipListMap<Long, Long> granted = new ConcurrentSkipListMap<>();

	private final Set<Long> handedOver = ConcurrentHashMap.newKeySet();

	private final ConcurrentSkipListMap<Long, Long> begun = new ConcurrentSkipListMap<>();

	private final ConcurrentSkipListMap<Long, Long> releasing = new ConcurrentSkipListMap<>();

	private volatile long calledAt;

	private volatile long answeredAt;

	private volatile @Nullable Stranger stranger;

	/**
	 * Record that the store has granted a lease.
	 */
	void acquired(LeaseGrant grant) {
		this.granted.put(grant.token().first(), System.nanoTime());
	}

	/**
	 * Run a short body under a lease, and release the lease.
	 */
	void body(Lease lease) {
		this.begun.put(lease.fencingToken(), System.nanoTime());
		note(lease);
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_BODY));
		release(lease);
	}

	private void note(Lease lease) {
		if (!this.granted.containsKey(lease.fencingToken())) {
			this.handedOver.add(lease.fencingToken());
		}
	}

	void release(Lease lease) {
		note(lease);
		this.releasing.put(lease.fencingToken(), System.nanoTime());
		lease.release();
	}

	/**
	 * Take the lock away.
	 */
	void lose(Runnable loss) {
		this.calledAt = System.nanoTime();
		loss.run();
		this.answeredAt = System.nanoTime();
	}

	/**
	 * Record that another JVM has been granted the lock.
	 */
	void takenBy(Lease lease) {
		this.stranger = new Stranger(System.nanoTime(), lease.fencingToken());
	}

	int grants() {
		return this.granted.size();
	}

	int handOvers() {
		return this.handedOver.size();
	}

	/**
	 * Return whether a body was running when the lock was taken away.
	 */
	boolean isHit() {
		return this.begun.entrySet().stream().anyMatch((body) -> {
			Long end = this.releasing.get(body.getKey());
			return body.getValue() - this.calledAt < 0 && end != null && end - this.calledAt > 0;
		});
	}

	private boolean isOfTheOldTenure(long token) {
		Entry<Long, Long> grant = this.granted.floorEntry(token);
		return grant != null && grant.getValue() - this.calledAt < 0;
	}

	/**
	 * Return the hand-overs of leases that the engine had received from the store before
	 * the loss, as the least times after the loss.
	 */
	List<Long> passedOnAfterTheLoss() {
		return this.begun.keySet()
			.stream()
			.filter((token) -> this.handedOver.contains(token) && isOfTheOldTenure(token))
			.map((token) -> passedOnAt(token) - this.answeredAt)
			.filter((nanos) -> nanos > 0)
			.toList();
	}

	/**
	 * Return the times after the loss at which bodies with such leases began.
	 */
	List<Long> begunAfterTheLoss() {
		return this.begun.entrySet()
			.stream()
			.filter((body) -> this.handedOver.contains(body.getKey()) && isOfTheOldTenure(body.getKey()))
			.map((body) -> body.getValue() - this.answeredAt)
			.filter((nanos) -> nanos > 0)
			.toList();
	}

	/**
	 * Return the hand-overs of leases with smaller tokens, as the least times after the
	 * other JVM's grant.
	 */
	List<Long> passedOnBesideTheStranger() {
		Stranger other = this.stranger;
		if (other == null) {
			return List.of();
		}
		return this.begun.headMap(other.token())
			.keySet()
			.stream()
			.filter(this.handedOver::contains)
			.map((token) -> passedOnAt(token) - other.grantedAt())
			.filter((nanos) -> nanos > 0)
			.toList();
	}

	/**
	 * Return the times after the other JVM's grant at which bodies with smaller tokens
	 * began.
	 */
	List<Long> begunBesideTheStranger() {
		Stranger other = this.stranger;
		if (other == null) {
			return List.of();
		}
		return this.begun.headMap(other.token())
			.values()
			.stream()
			.map((begin) -> begin - other.grantedAt())
			.filter((nanos) -> nanos > 0)
			.toList();
	}

	private long passedOnAt(long token) {
		// A waiter that has left hands its lease over immediately and has no body. The
		// release of its predecessor is even earlier.
		Entry<Long, Long> before = this.releasing.lowerEntry(token);
		return (before != null) ? before.getValue() : this.calledAt;
	}

	/**
	 * The lease of another JVM.
	 *
	 * @param grantedAt when its holder had received it
	 * @param token its token
	 */
	private record Stranger(long grantedAt, long token) {
	}

}
