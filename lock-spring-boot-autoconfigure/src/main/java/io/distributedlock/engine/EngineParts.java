package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockListener;

/**
 * The parts of the engine of one store that its queues and leases use.
 *
 * @param backend describes the store in messages
 * @param traits the capabilities of the store
 * @param settings the defaults of requests
 * @param clock the source of time
 * @param threads run callers' code
 * @param listeners the listeners of the application
 * @param refusals logs permanent refusals of the store
 * @param calls sends all calls to the store
 * @param renewals renews leases at the store
 * @param confirmation confirms or extends a lease for a caller that waits
 * @param watchdog decides when held leases are renewed or have expired
 * @param handOverChecks asks whether leases that are being handed over still exist
 * @param reaper ends leases and attempts at the store that are not used
 * @param lifecycle begins and ends leases
 * @param gates what each new acquisition passes
 */
record EngineParts(BackendLabel backend, BackendTraits traits, EngineSettings settings, LockClock clock,
		EngineThreads threads, LockListeners listeners, RefusalLog refusals, InFlightCalls calls, RenewalCalls renewals,
		LeaseConfirmation confirmation, LeaseWatchdog watchdog, HandOverChecks handOverChecks, OrphanReaper reaper,
		LeaseLifecycle lifecycle, EngineGates gates) {

	static EngineParts of(String name, LockBackend backend, EngineSettings settings, LockClock clock,
			List<LockListener> lockListeners, EngineInstruments instruments) {
		BackendLabel label = new BackendLabel(name, backend);
		BackendTraits traits = backend.traits();
		EngineThreads threads = new EngineThreads();
		LockListeners listeners = new LockListeners(lockListeners, threads);
		RefusalLog refusals = new RefusalLog(label, clock);
		EngineGates gates = new EngineGates(label, instruments, clock, threads);
		InFlightCalls calls = new InFlightCalls(label, backend, clock);
		RenewalCalls renewals = new RenewalCalls(calls, clock, refusals, traits.renewalBatch());
		LeaseWatchdog watchdog = new LeaseWatchdog(name, clock, renewals, listeners);
		OrphanReaper reaper = new OrphanReaper(calls, clock, refusals);
		return new EngineParts(label, traits, settings, clock, threads, listeners, refusals, calls, renewals,
				new LeaseConfirmation(label, calls, clock, renewals), watchdog, new HandOverChecks(clock, renewals),
				reaper, new LeaseLifecycle(label, clock, threads, listeners, calls, watchdog, reaper, gates), gates);
	}

	/**
	 * Return the monotonic time.
	 */
	long now() {
		return this.clock.nanoTime();
	}

}
