package io.distributedlock.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Asks the store in the background whether the leases stand that are being passed on, so
 * that a chain of hand-overs ends soon after its lease was lost. A question begins a
 * fraction of the tenure's window after a hand-over, and is repeated at that interval
 * until one has been answered that was sent after the last hand-over. A chain that ends
 * before costs none.
 * <p>
 * One timer serves all tenures, and its questions go out in batches. A tenure has one
 * question under way at most.
 */
final class Confirmations {

	private final EngineCore core;

	// The monitor of this object guards the fields below.
	private final Set<Tenure> due = new HashSet<>();

	private final Set<Tenure> asked = new HashSet<>();

	private boolean scheduled;

	Confirmations(EngineCore core) {
		this.core = core;
	}

	/**
	 * Ask for a tenure that was just passed on, unless it is going to be asked for.
	 */
	synchronized void passedOn(Tenure tenure) {
		if (!this.asked.contains(tenure)) {
			askLater(tenure);
		}
	}

	private void askLater(Tenure tenure) {
		this.due.add(tenure);
		if (!this.scheduled) {
			this.scheduled = true;
			this.core.clock().schedule(tenure.questionInterval(), this::ask);
		}
	}

	private void ask() {
		List<Tenure> tenures;
		synchronized (this) {
			this.scheduled = false;
			tenures = this.due.stream().filter((tenure) -> !tenure.isOver()).toList();
			this.due.clear();
			this.asked.addAll(tenures);
		}
		ClockReading sentAt = ClockReading.now(this.core.clock());
		List<Renewal> questions = tenures.stream().map((tenure) -> Renewal.question(tenure.grant())).toList();
		this.core.renewals().send(questions, sentAt, (outcome, index) -> onAnswer(tenures.get(index), outcome, sentAt));
	}

	private void onAnswer(Tenure tenure, RenewalOutcome outcome, ClockReading sentAt) {
		if (outcome instanceof RenewalOutcome.Lost) {
			this.core.taken(tenure);
		}
		else if (outcome instanceof RenewalOutcome.Renewed renewed) {
			tenure.confirmed(sentAt, renewed.validUntil());
		}
		synchronized (this) {
			this.asked.remove(tenure);
			if (!tenure.isOver() && !tenure.isConfirmed() && !(outcome instanceof RenewalOutcome.Lost)) {
				askLater(tenure);
			}
		}
	}

}
