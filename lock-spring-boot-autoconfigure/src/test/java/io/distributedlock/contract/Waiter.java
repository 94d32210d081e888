package io.distributedlock.contract;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Waits for a lock as an engine does: it attempts again at each wake-up, or after the
 * polling delay from the store, and at no other time.
 */
final class Waiter {

	private static final Duration STEP = Duration.ofMillis(5);

	private static final Duration LONGEST_IN_A_CROWD = Duration.ofSeconds(30);

	private final ContractStore contract;

	private final String key;

	private final int permits;

	private final Contender contender;

	private final AtomicInteger wakeUps = new AtomicInteger();

	private int seen;

	private long pollAt;

	Waiter(ContractStore contract, BackendConnection client, String key) {
		this(contract, client, LockTarget.exclusive(key), 0);
	}

	/**
	 * Create a waiter.
	 * @param contract the contract
	 * @param client the client that waits
	 * @param target what it waits for
	 * @param permits the permits that it requests, zero unless the mode is that of
	 * permits
	 */
	Waiter(ContractStore contract, BackendConnection client, LockTarget target, int permits) {
		this.contract = contract;
		this.key = target.key();
		this.permits = permits;
		this.contender = client.contend(target, this.wakeUps::incrementAndGet);
		this.pollAt = contract.clock().nanoTime();
	}

	/**
	 * Make one attempt, which must be busy.
	 */
	Waiter busy() {
		assertThat(attempt()).as("an attempt on '%s', which can't be had", this.key)
			.isInstanceOf(AttemptOutcome.Busy.class);
		return this;
	}

	/**
	 * Wait until the lock is granted.
	 * @param atMost how long that may take on the clock of the client
	 * @return the grant
	 */
	LeaseGrant untilGranted(Duration atMost) {
		long end = this.contract.clock().nanoTime() + atMost.toNanos();
		while (true) {
			sleepUntilWokenOr(end);
			AttemptOutcome outcome = attempt();
			if (outcome instanceof AttemptOutcome.Granted granted) {
				return granted.grant();
			}
			assertThat(outcome).as("a waiter's attempt on '%s'", this.key).isInstanceOf(AttemptOutcome.Busy.class);
		}
	}

	/**
	 * Attempt again and again in real time until the lock is granted, for crowds: a
	 * thread that waits on a virtual clock would move it while another one holds the
	 * lock.
	 * @return the grant
	 */
	LeaseGrant untilGrantedInACrowd() {
		long end = System.nanoTime() + LONGEST_IN_A_CROWD.toNanos();
		AttemptOutcome outcome = attempt();
		while (outcome instanceof AttemptOutcome.Busy && end - System.nanoTime() > 0) {
			LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(2_000_000));
			outcome = attempt();
		}
		assertThat(outcome).as("the last attempt of a waiter for '%s'", this.key)
			.isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	/**
	 * Wait until this waiter is woken after its latest attempt.
	 * @param atMost how long that may take on the clock of the client
	 */
	void untilWoken(Duration atMost) {
		long end = this.contract.clock().nanoTime() + atMost.toNanos();
		while (this.wakeUps.get() == this.seen) {
			assertThat(end - this.contract.clock().nanoTime())
				.as("nanoseconds until the waiter for '%s' has to be woken", this.key)
				.isPositive();
			this.contract.elapse(STEP);
		}
	}

	int wakeUps() {
		return this.wakeUps.get();
	}

	/**
	 * Return how long this waiter may wait for a wake-up before it attempts again.
	 */
	Duration untilPoll() {
		return Duration.ofNanos(Math.max(0, this.pollAt - this.contract.clock().nanoTime()));
	}

	void withdraw() {
		this.contender.withdraw();
	}

	private void sleepUntilWokenOr(long end) {
		while (this.wakeUps.get() == this.seen) {
			long now = this.contract.clock().nanoTime();
			if (this.pollAt - now <= 0) {
				return;
			}
			assertThat(end - now)
				.as("nanoseconds that a waiter for '%s' may still wait, without a wake-up and before it may poll",
						this.key)
				.isPositive();
			this.contract.elapse(Duration.ofNanos(Math.min(STEP.toNanos(), Math.min(this.pollAt, end) - now)));
		}
	}

	private AttemptOutcome attempt() {
		// Read before the attempt: a wake-up that comes during it asks for another one.
		this.seen = this.wakeUps.get();
		AttemptOutcome outcome = ContractPart.get(this.contender.attempt(new LeaseRequest(OwnerId.random(),
				this.contract.longTtl(), 1, this.permits, null, true, ContractPart.TIMEOUT, ContractPart.TIMEOUT)));
		if (outcome instanceof AttemptOutcome.Busy busy) {
			assertThat(busy.pollAfter()).as("when to attempt again").isPositive();
			this.pollAt = this.contract.clock().nanoTime() + busy.pollAfter().toNanos();
		}
		return outcome;
	}

}
