package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.spi.LockListener;

/**
 * Publishes lost leases and missed ticks as events of the application. Their listeners
 * may block, so that they are called on an executor.
 */
class LockEventPublisher implements LockListener {

	private static final Logger logger = LoggerFactory.getLogger(LockEventPublisher.class);

	private final ApplicationEventPublisher publisher;

	private final Supplier<Executor> executor;

	/**
	 * Create the publisher.
	 * @param publisher the application
	 * @param executor asked for at the first event: it is that of the engine, which needs
	 * its listeners first
	 */
	LockEventPublisher(ApplicationEventPublisher publisher, Supplier<Executor> executor) {
		this.publisher = publisher;
		this.executor = executor;
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
		if (request.getTick() != null) {
			String key = request.getKeys().get(0);
			logger.warn("The tick {} of '{}' was missed here: its lock was taken, as by a run that takes longer than"
					+ " until the next tick", request.getTick(), key);
			publish(new TickMissedEvent(backend, key, request.getName(), request.getTick()));
		}
	}

	private void publish(Object event) {
		this.executor.get().execute(() -> tell(event));
	}

	private void tell(Object event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException ex) {
			logger.warn("A listener of {} failed", event, ex);
		}
	}

}
