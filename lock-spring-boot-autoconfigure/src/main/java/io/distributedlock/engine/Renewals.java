package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjIntConsumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.CompletionCauses;
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

	private static final Logger logger = LoggerFactory.getLogger(Renewals.class);

	private final EngineCore core;

	// Those that are held, and those whose release has not been answered yet.
	private final Set<DefaultLease> leases = ConcurrentHashMap.newKeySet();

	// Written under the monitor; read without it to see that an early enough sweep is
	// armed. A lease is added before this is read, and a sweep clears this before it
	// looks at the leases, so that one of the two sees the other.
	private volatile @Nullable Sweep next;

	// Only touched by sweeps, which run one at a time on the clock's thread.
	private @Nullable ClockReading lastSweep;

	Renewals(EngineCore core) {
		this.core = core;
	}

	void add(DefaultLease lease) {
		this.leases.add(lease);
		if (lease.ended().isDone()) {
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
			long delay = Math.max(0, at - this.core.clock().nanoTime());
			this.next = new Sweep(at, this.core.clock().schedule(Duration.ofNanos(delay), this::sweep));
		}
	}

	private void sweep() {
		synchronized (this) {
			this.next = null;
		}
		long nextEvent = this.core.clock().nanoTime() + SWEEP_INTERVAL;
		try {
			ClockReading now = ClockReading.now(this.core.clock());
			List<Due> due = new ArrayList<>();
			for (DefaultLease lease : this.leases) {
				try {
					look(lease, now, due);
				}
				catch (Throwable ex) {
					logger.warn("The watchdog could not look at {} of the backend '{}'; it looks again soon", lease,
							this.core.backendName(), ex);
				}
			}
			renew(due, now);
			for (DefaultLease lease : this.leases) {
				nextEvent = earlier(nextEvent, lease.nextEvent());
			}
			this.lastSweep = now;
		}
		catch (Throwable ex) {
			logger.warn("A sweep over the leases of the backend '{}' failed; the next one comes soon",
					this.core.backendName(), ex);
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

	private void look(DefaultLease lease, ClockReading now, List<Due> due) {
		ClockReading last = this.lastSweep;
		if (lease.isDisowned()) {
			lease.end();
		}
		if (!lease.isOpen()) {
			if (lease.isReleaseOverdue(now.nanoTime())) {
				this.core.giveUpRelease(lease);
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

	private void renew(List<Due> due, ClockReading sentAt) {
		send(due.stream().map(Due::renewal).toList(), sentAt, (outcome, index) -> {
			DefaultLease lease = due.get(index).lease();
			lease.endRenewal(outcome, sentAt);
			if (outcome instanceof RenewalOutcome.Renewed) {
				this.core.listeners().renewed(this.core.backendName(), lease.request().lockRequest(), lease);
			}
			if (lease.isOpen()) {
				arm(lease.nextEvent());
			}
		});
	}

	/**
	 * Send renewals in batches of the store's size.
	 * @param onOutcome is given the index of each renewal and its outcome
	 */
	void send(List<Renewal> renewals, ClockReading sentAt, ObjIntConsumer<RenewalOutcome> onOutcome) {
		int batch = Math.max(1, this.core.traits().renewalBatch());
		for (int from = 0; from < renewals.size(); from += batch) {
			List<Renewal> chunk = renewals.subList(from, Math.min(from + batch, renewals.size()));
			int first = from;
			sendChunk(List.copyOf(chunk), sentAt, (outcome, index) -> onOutcome.accept(outcome, first + index));
		}
	}

	private void sendChunk(List<Renewal> chunk, ClockReading sentAt, ObjIntConsumer<RenewalOutcome> onOutcome) {
		this.core.calls().call((store) -> store.renew(chunk)).whenComplete((outcomes, failure) -> {
			ClockReading now = ClockReading.now(this.core.clock());
			for (int i = 0; i < chunk.size(); i++) {
				RenewalOutcome outcome = (failure != null)
						? new RenewalOutcome.Unknown(CompletionCauses.unwrap(failure)) : outcome(outcomes, i);
				if (outcome instanceof RenewalOutcome.Unknown unknown) {
					this.core.refusals().report("a renewal", unknown.cause());
				}
				onOutcome.accept(trusted(outcome, chunk.get(i), sentAt, now), i);
			}
		});
	}

	private static RenewalOutcome outcome(List<RenewalOutcome> outcomes, int index) {
		RenewalOutcome outcome = (index < outcomes.size()) ? outcomes.get(index) : null;
		return (outcome != null) ? outcome
				: new RenewalOutcome.Unknown(new IllegalStateException("The backend answered nothing for a renewal"));
	}

	/**
	 * Send one renewal.
	 * @return completed normally in any case
	 */
	CompletableFuture<RenewalOutcome> ask(Renewal renewal, ClockReading sentAt) {
		CompletableFuture<RenewalOutcome> answer = new CompletableFuture<>();
		send(List.of(renewal), sentAt, (outcome, index) -> answer.complete(outcome));
		return answer;
	}

	/**
	 * Ask the store whether it still has a lease, and lose the lease if not.
	 * @return completed normally when that is done
	 */
	CompletableFuture<Void> verify(DefaultLease lease) {
		ClockReading sentAt = ClockReading.now(this.core.clock());
		return ask(lease.renewal(Duration.ZERO, sentAt.nanoTime()), sentAt)
			.thenAccept((outcome) -> lease.onRenewal(outcome, sentAt));
	}

	/**
	 * Renew one lease for a caller that waits for the answer. One that came while this
	 * machine stood still is asked for once more.
	 */
	RenewalOutcome renewNow(DefaultLease lease, Renewal renewal) {
		ClockReading sentAt = ClockReading.now(this.core.clock());
		RenewalOutcome outcome = askAndWait(lease, renewal, sentAt);
		if (outcome instanceof RenewalOutcome.Unknown && hasStoodStill(renewal, sentAt)) {
			sentAt = ClockReading.now(this.core.clock());
			outcome = askAndWait(lease, renewal, sentAt);
		}
		lease.onRenewal(outcome, sentAt);
		return outcome;
	}

	private RenewalOutcome askAndWait(DefaultLease lease, Renewal renewal, ClockReading sentAt) {
		return this.core.calls()
			.within(lease.request(), ask(renewal, sentAt),
					() -> new RenewalOutcome.Unknown(new TimeoutException("no answer in time")));
	}

	private boolean hasStoodStill(Renewal renewal, ClockReading sentAt) {
		return sentAt.stoodStill(ClockReading.now(this.core.clock()), renewal.ttl());
	}

	private static RenewalOutcome trusted(RenewalOutcome outcome, Renewal renewal, ClockReading sentAt,
			ClockReading now) {
		if (outcome instanceof RenewalOutcome.Renewed && sentAt.stoodStill(now, renewal.ttl())) {
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

	private record Due(DefaultLease lease, Renewal renewal) {
	}

}
