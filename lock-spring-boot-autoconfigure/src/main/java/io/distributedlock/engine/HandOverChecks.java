package io.distributedlock.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Asks the store in the background whether leases that are being handed over still exist,
 * so that a chain of hand-overs ends soon after its lease was lost. The first question is
 * sent a fraction of the grant's window after a hand-over. It is repeated at that
 * interval until a question was answered that was sent after the last hand-over. A chain
 * that ends earlier causes no question.
 * <p>
 * One timer serves all grants, and the questions are sent in batches. A grant has at most
 * one question under way.
 */
final class HandOverChecks {

	private final LockClock clock;

	private final RenewalCalls renewals;

	// The monitor of this object guards the fields below.
	private final Set<CohortGrant> due = new HashSet<>();

	private final Set<CohortGrant> asked = new HashSet<>();

	private boolean scheduled;

	HandOverChecks(LockClock clock, RenewalCalls renewals) {
		this.clock = clock;
		this.renewals = renewals;
	}

	/**
	 * Schedule a question for a grant that was just handed over, unless one is under way.
	 */
	void handedOver(CohortGrant cohort) {
		// The hand-over was dated before this is read, and an answer that ends the
		// questions clears this before it reads the date: one of the two sees the other.
		if (!cohort.isQuestioned()) {
			begin(cohort);
		}
	}

	private synchronized void begin(CohortGrant cohort) {
		if (!this.asked.contains(cohort)) {
			askLater(cohort);
		}
	}

	private void askLater(CohortGrant cohort) {
		if (!this.scheduled) {
			// First: if it fails, the next hand-over has to find that no question is due.
			this.clock.schedule(cohort.questionInterval(), this::ask);
			this.scheduled = true;
		}
		this.due.add(cohort);
		cohort.questioned(true);
	}

	private void ask() {
		List<CohortGrant> cohorts;
		synchronized (this) {
			this.scheduled = false;
			cohorts = this.due.stream().filter((cohort) -> !cohort.isOver()).toList();
			this.due.clear();
			this.asked.addAll(cohorts);
		}
		ClockReading sentAt = ClockReading.now(this.clock);
		List<Renewal> questions = cohorts.stream().map((cohort) -> Renewal.question(cohort.grant())).toList();
		this.renewals.send(questions, sentAt, (outcome, index) -> onAnswer(cohorts.get(index), outcome, sentAt));
	}

	private void onAnswer(CohortGrant cohort, RenewalOutcome outcome, ClockReading sentAt) {
		if (outcome instanceof RenewalOutcome.Lost) {
			cohort.queue().holder().taken(cohort);
		}
		else if (outcome instanceof RenewalOutcome.Renewed renewed) {
			cohort.confirmed(sentAt, renewed.validUntil());
		}
		synchronized (this) {
			this.asked.remove(cohort);
			cohort.questioned(false);
			if (!cohort.isOver() && !cohort.isConfirmed() && !(outcome instanceof RenewalOutcome.Lost)) {
				askLater(cohort);
			}
		}
	}

}
