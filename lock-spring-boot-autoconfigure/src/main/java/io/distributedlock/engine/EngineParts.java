package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

/**
 * The parts of the engine of one store that its queues and leases use.
 *
 * @param backend how messages call the store
 * @param traits what the store can do
 * @param settings what applies to requests that do not say otherwise
 * @param clock the time
 * @param threads run callers' code
 * @param listeners the application's
 * @param refusals logs what the store refuses for good
 * @param calls the way to the store
 * @param renewals renews leases at the store
 * @param watchdog has leases renewed that are held
 * @param handOverChecks asks whether leases stand that are being handed over
 * @param reaper ends at the store what nobody uses
 * @param lifecycle begins and ends leases
 */
record EngineParts(BackendLabel backend, BackendTraits traits, EngineSettings settings, LockClock clock,
		EngineThreads threads, LockListeners listeners, RefusalLog refusals, InFlightCalls calls, RenewalCalls renewals,
		LeaseWatchdog watchdog, HandOverChecks handOverChecks, OrphanReaper reaper, LeaseLifecycle lifecycle) {

	static EngineParts of(String name, LockBackend backend, EngineSettings settings, LockClock clock,
			List<LockListener> lockListeners) {
		BackendLabel label = new BackendLabel(name, backend);
		BackendTraits traits = backend.traits();
		EngineThreads threads = new EngineThreads();
		LockListeners listeners = new LockListeners(lockListeners, threads);
		RefusalLog refusals = new RefusalLog(label, clock);
		InFlightCalls calls = new InFlightCalls(name, backend, clock);
		RenewalCalls renewals = new RenewalCalls(calls, clock, refusals, traits.renewalBatch());
		LeaseWatchdog watchdog = new LeaseWatchdog(name, clock, renewals, listeners);
		OrphanReaper reaper = new OrphanReaper(calls, clock, refusals);
		return new EngineParts(label, traits, settings, clock, threads, listeners, refusals, calls, renewals, watchdog,
				new HandOverChecks(clock, renewals), reaper,
				new LeaseLifecycle(label, clock, threads, listeners, calls, watchdog, reaper));
	}

	/**
	 * Return the monotonic time.
	 */
	long now() {
		return this.clock.nanoTime();
	}

}
