package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.LockClock;

/**
 * Ends calls after their timeout. While there are calls, one sweep checks all of them
 * every few milliseconds. A timer for each call would wake its thread each time, which
 * costs more than the call itself.
 */
final class ScriptTimeouts {

	/**
	 * Time between two sweeps, and so the most by which a call ends late.
	 */
	private static final Duration INTERVAL = Duration.ofMillis(20);

	// Also contains calls that have ended since the last sweep.
	private final Queue<StoreCall<?>> pending = new ConcurrentLinkedQueue<>();

	// True from before a sweep is scheduled until it has found no call left.
	private final AtomicBoolean sweepScheduled = new AtomicBoolean();

	private final LockClock clock;

	private final ScriptFaults faults;

	/**
	 * Create timeouts of calls.
	 * @param clock the clock of this JVM
	 * @param faults explains how calls failed
	 */
	ScriptTimeouts(LockClock clock, ScriptFaults faults) {
		this.clock = clock;
		this.faults = faults;
	}

	/**
	 * Create a call.
	 * @param call the script
	 * @param timeout the time that the call has from now on
	 * @return the call
	 */
	PendingScript begin(ScriptCall call, Duration timeout) {
		StoreCall<List<Object>> pending = new StoreCall<>("The Redis of the locks", timeout, this.clock);
		this.pending.add(pending);
		scheduleSweep();
		return new PendingScript(call, pending, this.faults);
	}

	private void scheduleSweep() {
		if (!this.sweepScheduled.get() && this.sweepScheduled.compareAndSet(false, true)) {
			this.clock.schedule(INTERVAL, this::sweep);
		}
	}

	private void sweep() {
		try {
			this.pending.removeIf((call) -> {
				call.endIfOverdue();
				return call.isEnded();
			});
		}
		finally {
			this.sweepScheduled.set(false);
			// Calls that began before this line rely on a scheduled sweep.
			if (!this.pending.isEmpty()) {
				scheduleSweep();
			}
		}
	}

}
