package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews held leases in batches, and ends leases that are past their deadline. One timer
 * serves all leases. A sweep checks each lease, at least every quarter of a second and
 * exactly at the time of the next event. Renewals that are due soon are sent together
 * with those that are due, so that few sweeps send anything. While there are no leases,
 * there is no timer.
 */
final class LeaseWatchdog {

	private static final long SWEEP_INTERVAL = Duration.ofMillis(250).toNanos();

	private static final Logger logger = LoggerFactory.getLogger(LeaseWatchdog.class);

	private final String backend;

	private final LockClock clock;

	private final RenewalCalls renewals;

	private final LockListeners listeners;

	// Leases that are held, and leases with an unanswered release.
	private final Set<DefaultLease> leases = ConcurrentHashMap.newKeySet();

	// Written under the monitor; read without it to see that an early enough sweep is
	// armed. A lease is added before this is read, and a sweep clears this before it
	// looks at the leases, so that one of the two sees the other.
	private volatile @Nullable Sweep next;

	// Only touched by sweeps, which run one at a time on the clock's thread.
	private @Nullable ClockReading lastSweep;

	LeaseWatchdog(String backend, LockClock clock, RenewalCalls renewals, LockListeners listeners) {
		this.backend = backend;
		this.clock = clock;
		this.renewals = renewals;
		this.listeners = listeners;
	}

	void add(DefaultLease lease) {
		this.leases.add(lease);
		if (lease.ended().isDone()) {
			// It ended before it was added, so its end could not remove it.
			this.leases.remove(lease);
			return;
		}
		arm(earlier(lease.nextEvent(), this.clock.nanoTime() + SWEEP_INTERVAL));
	}

	void remove(DefaultLease lease) {
		this.leases.remove(lease);
	}

	/**
	 * Return the leases that are held now or whose release is under way.
	 */
	List<DefaultLease> leases() {
		return List.copyOf(this.leases);
	}

	private void arm(long at) {
		Sweep armed = this.next;
		if (armed != null && armed.at() - at <= 0) {
			return;
		}
		synchronized (this) {
			armed = this.next;
			if (armed != null) {
				if (armed.at() - at <= 0) {
					return;
				}
				armed.timeout().cancel();
			}
			long delay = Math.max(0, at - this.clock.nanoTime());
			this.next = new Sweep(at, this.clock.schedule(Duration.ofNanos(delay), this::sweep));
		}
	}

	private void sweep() {
		synchronized (this) {
			this.next = null;
		}
		long nextEvent = this.clock.nanoTime() + SWEEP_INTERVAL;
		try {
			ClockReading now = ClockReading.now(this.clock);
			List<Due> due = new ArrayList<>();
			for (DefaultLease lease : this.leases) {
				try {
					look(lease, now, due);
					nextEvent = earlier(nextEvent, lease.nextEvent());
				}
				catch (Throwable ex) {
					logger.warn("The watchdog could not look at {} of the backend '{}'; it looks again soon", lease,
							this.backend, ex);
				}
			}
			if (!due.isEmpty()) {
				addEarly(due, now.nanoTime());
				renew(due, now);
				nextEvent = nextEvent(now.nanoTime() + SWEEP_INTERVAL);
			}
			this.lastSweep = now;
		}
		catch (Throwable ex) {
			logger.warn("A sweep over the leases of the backend '{}' failed; the next one comes soon", this.backend,
					ex);
		}
		finally {
			if (this.leases.isEmpty()) {
				this.lastSweep = null;
			}
			else {
				arm(nextEvent);
			}
		}
	}

	private long nextEvent(long atLatest) {
		long next = atLatest;
		for (DefaultLease lease : this.leases) {
			next = earlier(next, lease.nextEvent());
		}
		return next;
	}

	private void look(DefaultLease lease, ClockReading now, List<Due> due) {
		ClockReading last = this.lastSweep;
		if (lease.isDisowned()) {
			lease.end();
		}
		if (!lease.isOpen()) {
			if (lease.isReleaseOverdue(now.nanoTime())) {
				lease.giveUpRelease();
			}
			return;
		}
		if (last != null && last.stoodStill(now, lease.request().ttl())) {
			lease.suspect(last.gain(now));
		}
		if (lease.expireIfOver(now.nanoTime())) {
			Renewal renewal = lease.beginRenewal(now.nanoTime());
			if (renewal != null) {
				due.add(new Due(lease, renewal));
			}
		}
	}

	/**
	 * Add renewals that are due soon, as many as fill calls. Leases then fall due
	 * together, so that many are renewed by few calls in few sweeps, whenever each was
	 * acquired.
	 */
	private void addEarly(List<Due> due, long now) {
		List<DefaultLease> near = new ArrayList<>();
		for (DefaultLease lease : this.leases) {
			if (lease.isRenewalNear(now)) {
				near.add(lease);
			}
		}
		int added = this.renewals.filling(due.size(), near.size());
		for (DefaultLease lease : near.subList(0, added)) {
			Renewal early = lease.beginEarlyRenewal(now);
			if (early != null) {
				due.add(new Due(lease, early));
			}
		}
	}

	/**
	 * Send renewals. Readers that share a grant have one renewal, for the longest of
	 * their times.
	 */
	private void renew(List<Due> due, ClockReading sentAt) {
		Map<CohortGrant, List<Due>> byGrant = new LinkedHashMap<>();
		due.forEach((each) -> byGrant.computeIfAbsent(each.lease().cohort(), (grant) -> new ArrayList<>(1)).add(each));
		List<List<Due>> together = List.copyOf(byGrant.values());
		this.renewals.send(together.stream().map(LeaseWatchdog::longest).toList(), sentAt,
				(outcome, index) -> together.get(index).forEach((each) -> renewed(each.lease(), outcome, sentAt)));
	}

	private static Renewal longest(List<Due> sharing) {
		return sharing.stream().map(Due::renewal).max(Comparator.comparing(Renewal::ttl)).orElseThrow();
	}

	private void renewed(DefaultLease lease, RenewalOutcome outcome, ClockReading sentAt) {
		lease.endRenewal(outcome, sentAt);
		Lease reported = (outcome instanceof RenewalOutcome.Renewed) ? lease.reported() : null;
		if (reported != null) {
			this.listeners.renewed(this.backend, lease.request().lockRequest(), reported);
		}
		if (lease.isOpen()) {
			arm(lease.nextEvent());
		}
	}

	private static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

	private record Sweep(long at, Timeout timeout) {
	}

	private record Due(DefaultLease lease, Renewal renewal) {
	}

}
