package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjIntConsumer;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews leases at the store, in batches or one by one. If this machine stood still while
 * the answer was under way, a positive answer does not count, and the outcome is unknown.
 */
final class RenewalCalls {

	private final InFlightCalls calls;

	private final LockClock clock;

	private final RefusalLog refusals;

	private final int batch;

	RenewalCalls(InFlightCalls calls, LockClock clock, RefusalLog refusals, int batch) {
		this.calls = calls;
		this.clock = clock;
		this.refusals = refusals;
		this.batch = Math.max(1, batch);
	}

	/**
	 * Return how many of some further renewals are sent together with those that are due:
	 * as many as fill the last call, and further calls completely.
	 * @param due how many are due
	 * @param further how many could be added
	 */
	int filling(int due, int further) {
		return filling(due, further, this.batch);
	}

	static int filling(int due, int further, int batch) {
		int all = due + further;
		int full = all - all % batch;
		return (full > due) ? full - due : Math.min(further, (batch - due % batch) % batch);
	}

	/**
	 * Send renewals in batches of the store's size.
	 * @param onOutcome receives the outcome of each renewal and its index
	 */
	void send(List<Renewal> renewals, ClockReading sentAt, ObjIntConsumer<RenewalOutcome> onOutcome) {
		for (int from = 0; from < renewals.size(); from += this.batch) {
			List<Renewal> chunk = renewals.subList(from, Math.min(from + this.batch, renewals.size()));
			int first = from;
			sendChunk(List.copyOf(chunk), sentAt, (outcome, index) -> onOutcome.accept(outcome, first + index));
		}
	}

	private void sendChunk(List<Renewal> chunk, ClockReading sentAt, ObjIntConsumer<RenewalOutcome> onOutcome) {
		this.calls.call((store) -> store.renew(chunk)).whenComplete((outcomes, failure) -> {
			ClockReading now = ClockReading.now(this.clock);
			for (int i = 0; i < chunk.size(); i++) {
				RenewalOutcome outcome = (failure != null)
						? new RenewalOutcome.Unknown(CompletionCauses.unwrap(failure)) : outcome(outcomes, i);
				if (outcome instanceof RenewalOutcome.Unknown unknown) {
					this.refusals.report("a renewal", unknown.cause());
				}
				onOutcome.accept(trusted(outcome, chunk.get(i), sentAt, now), i);
			}
		});
	}

	private static RenewalOutcome outcome(List<RenewalOutcome> outcomes, int index) {
		RenewalOutcome outcome = (index < outcomes.size()) ? outcomes.get(index) : null;
		return (outcome != null) ? outcome : new RenewalOutcome.Unknown(
				new IllegalStateException("The backend returned no outcome for a renewal"));
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
	 * Ask the store whether a lease still exists, and lose the lease if not.
	 * @return completed normally when that is done
	 */
	CompletableFuture<Void> verify(DefaultLease lease) {
		return verify(lease, Duration.ZERO);
	}

	/**
	 * Ask the store whether a lease still exists, and to keep it. Lose the lease if it
	 * does not exist.
	 * @param ttl how long the store has to keep it at least
	 * @return completed normally when that is done
	 */
	CompletableFuture<Void> verify(DefaultLease lease, Duration ttl) {
		ClockReading sentAt = ClockReading.now(this.clock);
		return ask(lease.renewal(ttl, sentAt.nanoTime()), sentAt)
			.thenAccept((outcome) -> lease.onRenewal(outcome, sentAt));
	}

	private static RenewalOutcome trusted(RenewalOutcome outcome, Renewal renewal, ClockReading sentAt,
			ClockReading now) {
		if (outcome instanceof RenewalOutcome.Renewed && sentAt.stoodStill(now, renewal.ttl())) {
			return new RenewalOutcome.Unknown(
					new IllegalStateException("this machine stood still while the answer was under way"));
		}
		return outcome;
	}

}
