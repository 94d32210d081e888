package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LockClock;

/**
 * A script that is to be run, and the state of its call.
 *
 * @param script the script
 * @param call the call
 * @param faults explains how it failed
 */
record PendingScript(ScriptCall script, StoreCall<List<Object>> call, ScriptFaults faults) {

	private static final Duration LEAST = Duration.ofMillis(1);

	/**
	 * Create a call.
	 * @param script the script
	 * @param timeout the time that the call has from now on
	 * @param faults explains how it failed
	 * @param clock the clock of this JVM
	 */
	static PendingScript begin(ScriptCall script, Duration timeout, ScriptFaults faults, LockClock clock) {
		return new PendingScript(script,
				new StoreCall<List<Object>>("The Redis of the locks", timeout, clock).startTimer(), faults);
	}

	/**
	 * Return the remaining time, for a driver that needs a timeout.
	 * @return at least a millisecond
	 */
	Duration timeout() {
		Duration left = this.call.deadline().left();
		return (left.compareTo(LEAST) > 0) ? left : LEAST;
	}

	/**
	 * Fail the call with the explanation of a fault.
	 * @param fault what was thrown
	 */
	void failBy(Throwable fault) {
		this.call.fail(this.faults.explain(fault, this.script));
	}

}
