package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LockBusyEvent;
import io.distributedlock.LockCircuitClosedEvent;
import io.distributedlock.LockCircuitOpenedEvent;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockQuarantineBegunEvent;
import io.distributedlock.LockQuarantineEndedEvent;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableEvent;
import io.distributedlock.LossReason;
import io.distributedlock.TickDoneException;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.aop.MissedTickListener;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.LockEngines;
import io.distributedlock.spi.LockListener;
import io.distributedlock.spi.StoreListener;

/**
 * Publishes lost leases, missed ticks and other occurrences as application events. Their
 * listeners may block, so they are called on an executor.
 */
class LockEventPublisher implements LockListener, StoreListener, MissedTickListener {

	private static final Logger logger = LoggerFactory.getLogger(LockEventPublisher.class);

	private final ApplicationEventPublisher publisher;

	private final Supplier<LockEngine> engine;

	private final Supplier<LockEngines> engines;

	/**
	 * Create the publisher.
	 * @param publisher publishes to the application
	 * @param engine supplies the engine at the first event, because the engine needs its
	 * listeners first
	 * @param engines supplies the engines, which know the store of a request, at the
	 * first event too
	 */
	LockEventPublisher(ApplicationEventPublisher publisher, Supplier<LockEngine> engine,
			Supplier<LockEngines> engines) {
		this.publisher = publisher;
		this.engine = engine;
		this.engines = engines;
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		String key = lease.keys().get(0);
		LeaseLostEvent event = new LeaseLostEvent(backend, key, request.getName(), lease.fencingToken(key), reason,
				heldFor);
		publish(event);
	}

	@Override
	public void busy(String backend, LockRequest request, Duration waited) {
		publish(new LockBusyEvent(backend, request.getKeys().get(0), request.getName(), waited));
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		if (!(cause instanceof TickDoneException) && !(cause instanceof LockInterruptedException)) {
			publish(new LockUnavailableEvent(backend, request.getKeys().get(0), request.getName(), cause, waited));
		}
	}

	@Override
	public void circuitOpened(String store, Throwable cause) {
		publish(new LockCircuitOpenedEvent(store, cause));
	}

	@Override
	public void circuitClosed(String store, Duration openFor) {
		publish(new LockCircuitClosedEvent(store, openFor));
	}

	@Override
	public void quarantineBegun(String store, Duration remaining) {
		publish(new LockQuarantineBegunEvent(store, remaining));
	}

	@Override
	public void quarantineEnded(String store) {
		publish(new LockQuarantineEndedEvent(store));
	}

	@Override
	public void missed(LockRequest request) {
		Instant tick = Objects.requireNonNull(request.getTick());
		String key = request.getKeys().get(0);
		logger.warn("The tick {} of '{}' was missed here: its lock was taken, as by a run that takes longer than until"
				+ " the next tick", tick, LockKeys.printable(key));
		LockEngines all = this.engines.get();
		String backend = all.engineFor(all.prepare(request)).name();
		publish(new TickMissedEvent(backend, key, request.getName(), tick));
	}

	/**
	 * Publish an event asynchronously.
	 */
	void publish(Object event) {
		Executor executor;
		try {
			executor = this.engine.get().callbacks();
		}
		catch (RuntimeException ex) {
			// The start has failed, or the context is closed.
			logger.debug("{} is not published", event, ex);
			return;
		}
		executor.execute(() -> tell(event));
	}

	private void tell(Object event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (Throwable ex) {
			logger.warn("A listener of {} failed", event, ex);
		}
	}

}
