package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

/**
 * Settles attempts and releases in the background that no caller waits for any more.
 * <p>
 * An attempt that ended without a grant and with an unknown outcome may still be executed
 * by the store. Its owner id is therefore abandoned immediately and again every second
 * until one TTL has passed, regardless of the answers. A lease without an answer to its
 * release is released again until an answer arrives or its time is over.
 */
final class OrphanReaper {

	private static final Logger logger = LoggerFactory.getLogger(OrphanReaper.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final InFlightCalls calls;

	private final LockClock clock;

	private final RefusalLog refusals;

	private final Map<OwnerId, AbandonedAttempt> orphans = new ConcurrentHashMap<>();

	// Guarded by the monitor: whether a round is scheduled or under way.
	private boolean scheduled;

	OrphanReaper(InFlightCalls calls, LockClock clock, RefusalLog refusals) {
		this.calls = calls;
		this.clock = clock;
		this.refusals = refusals;
	}

	void abandon(LockTarget target, OwnerId ownerId, ResolvedRequest request) {
		long until = this.clock.nanoTime() + request.ttl().plus(request.callTimeout()).toNanos();
		Orphan orphan = new Orphan(target, ownerId);
		this.orphans.put(ownerId, new AbandonedAttempt(orphan, until));
		send(List.of(orphan));
		scheduleRound();
	}

	private void scheduleRound() {
		synchronized (this) {
			if (this.scheduled) {
				return;
			}
			this.scheduled = true;
		}
		this.clock.schedule(INTERVAL, this::round);
	}

	private void round() {
		synchronized (this) {
			this.scheduled = false;
		}
		try {
			settleDue(this.clock.nanoTime());
		}
		finally {
			if (!this.orphans.isEmpty()) {
				scheduleRound();
			}
		}
	}

	private void settleDue(long now) {
		List<Orphan> due = new ArrayList<>();
		this.orphans.values().forEach((abandoned) -> {
			due.add(abandoned.orphan());
			if (abandoned.until() - now <= 0) {
				this.orphans.remove(abandoned.orphan().ownerId());
			}
		});
		if (!due.isEmpty()) {
			send(due);
		}
	}

	private void send(List<Orphan> due) {
		this.calls.call((store) -> store.abandon(due).thenApply((done) -> true)).whenComplete((done, failure) -> {
			if (failure != null) {
				this.refusals.report("the end of an attempt", CompletionCauses.unwrap(failure));
				logger.debug("{} unanswered attempts could not be abandoned yet", due.size(), failure);
			}
		});
	}

	/**
	 * Release a grant that is not used.
	 */
	void giveBack(LeaseGrant grant, ResolvedRequest request) {
		long now = this.clock.nanoTime();
		release(new Remainder(grant, now, now + request.ttl().toNanos()));
	}

	/**
	 * Release the lease again until the store has answered or one TTL has passed.
	 */
	void release(DefaultLease lease) {
		long now = this.clock.nanoTime();
		release(new Remainder(lease.cohort().grant(), now + lease.cooldown(now).toNanos(),
				now + lease.request().ttl().toNanos()));
	}

	private void release(Remainder remainder) {
		long now = this.clock.nanoTime();
		Duration cooldown = Duration.ofNanos(Math.max(0, remainder.takenUntil() - now));
		this.calls.call((store) -> store.release(remainder.grant(), cooldown)).whenComplete((stood, failure) -> {
			if (failure != null && remainder.until() - this.clock.nanoTime() > 0) {
				this.clock.schedule(INTERVAL, () -> release(remainder));
			}
		});
	}

	/**
	 * Forget all attempts, because the store is about to be closed.
	 */
	void clear() {
		this.orphans.clear();
	}

	private record AbandonedAttempt(Orphan orphan, long until) {
	}

	/**
	 * A release that is not answered yet.
	 */
	private record Remainder(LeaseGrant grant, long takenUntil, long until) {
	}

}
