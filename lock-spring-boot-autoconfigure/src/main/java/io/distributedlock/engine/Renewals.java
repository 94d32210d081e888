package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock.Timeout;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * The watchdog: renews the leases that are held, in batches, and finds those whose
 * deadline has passed. One timer serves all leases: a sweep looks at each of them, at
 * least every quarter of a second and at the very time of the next event, and there is no
 * timer while nothing is held.
 */
final class Renewals {

	private static final long SWEEP_INTERVAL = Duration.ofMillis(250).toNanos();

	private final EngineCore core;

	private final Set<DefaultLease> leases = ConcurrentHashMap.newKeySet();

	// Written under the monitor; read without it to see that an early enough sweep is
	// armed. A lease is added before this is read, and a sweep clears this before it
	// looks at the leases, so that one of the two sees the other.
	private volatile @Nullable Sweep next;

	// Only touched by sweeps, which run one at a time on the clock's thread.
	private @Nullable Moment lastSweep;

	Renewals(EngineCore core) {
		this.core = core;
	}

	void add(DefaultLease lease) {
		this.leases.add(lease);
		if (!lease.isOpen()) {
			// It ended before it was added, and its end removed nothing.
			this.leases.remove(lease);
			return;
		}
		arm(earlier(lease.nextEvent(), this.core.clock().nanoTime() + SWEEP_INTERVAL));
	}

	void remove(DefaultLease lease) {
		this.leases.remove(lease);
	}

	/**
	 * Return the leases that are held now.
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
			long delay = Math.max(0, at - this.core.clock().nanoTime());
			this.next = new Sweep(at, this.core.clock().schedule(Duration.ofNanos(delay), this::sweep));
		}
	}

	private void sweep() {
		synchronized (this) {
			this.next = null;
		}
		Moment now = Moment.now(this.core.clock());
		Moment last = this.lastSweep;
		List<DefaultLease> due = new ArrayList<>();
		List<Renewal> renewals = new ArrayList<>();
		for (DefaultLease lease : this.leases) {
			if (last != null && last.stoodStill(now, lease.acquisition().ttl())) {
				lease.suspect(last.gain(now));
			}
			if (lease.expireIfOver(now.nano())) {
				Renewal renewal = lease.beginRenewal(now.nano());
				if (renewal != null) {
					due.add(lease);
					renewals.add(renewal);
				}
			}
		}
		send(due, renewals, now);
		long nextEvent = now.nano() + SWEEP_INTERVAL;
		for (DefaultLease lease : this.leases) {
			nextEvent = earlier(nextEvent, lease.nextEvent());
		}
		this.lastSweep = this.leases.isEmpty() ? null : now;
		if (!this.leases.isEmpty()) {
			arm(nextEvent);
		}
	}

	private void send(List<DefaultLease> due, List<Renewal> renewals, Moment sentAt) {
		int batch = this.core.backend().traits().renewalBatch();
		for (int from = 0; from < due.size(); from += batch) {
			int to = Math.min(from + batch, due.size());
			sendChunk(List.copyOf(due.subList(from, to)), List.copyOf(renewals.subList(from, to)), sentAt);
		}
	}

	private void sendChunk(List<DefaultLease> due, List<Renewal> renewals, Moment sentAt) {
		renew(renewals).whenComplete((outcomes, failure) -> {
			Moment now = Moment.now(this.core.clock());
			for (int i = 0; i < due.size(); i++) {
				DefaultLease lease = due.get(i);
				RenewalOutcome outcome = (failure != null) ? new RenewalOutcome.Unknown(StoreCalls.causeOf(failure))
						: outcomes.get(i);
				lease.endRenewal(trusted(outcome, lease, sentAt, now));
				if (outcome instanceof RenewalOutcome.Renewed) {
					this.core.listeners().renewed(this.core.backendName(), lease.acquisition().request(), lease);
				}
				if (lease.isOpen()) {
					arm(lease.nextEvent());
				}
			}
		});
	}

	private CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return this.core.calls().call(() -> this.core.backend().renew(renewals));
	}

	/**
	 * Renew one lease for a caller that waits for the answer.
	 */
	RenewalOutcome renewNow(DefaultLease lease, Renewal renewal) {
		Moment sentAt = Moment.now(this.core.clock());
		CompletableFuture<RenewalOutcome> answer = renew(List.of(renewal))
			.handle((outcomes, failure) -> (failure != null) ? new RenewalOutcome.Unknown(StoreCalls.causeOf(failure))
					: outcomes.get(0))
			.toCompletableFuture();
		RenewalOutcome outcome = this.core.calls()
			.within(lease.acquisition(), answer,
					() -> new RenewalOutcome.Unknown(new TimeoutException("no answer in time")));
		return trusted(outcome, lease, sentAt, Moment.now(this.core.clock()));
	}

	private static RenewalOutcome trusted(RenewalOutcome outcome, DefaultLease lease, Moment sentAt, Moment now) {
		if (outcome instanceof RenewalOutcome.Renewed && sentAt.stoodStill(now, lease.acquisition().ttl())) {
			return new RenewalOutcome.Unknown(
					new IllegalStateException("this machine stood still while the answer was under way"));
		}
		return outcome;
	}

	private static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

	private record Sweep(long at, Timeout timeout) {
	}

}
