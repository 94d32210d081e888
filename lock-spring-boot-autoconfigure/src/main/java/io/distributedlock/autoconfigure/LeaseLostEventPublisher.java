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
import io.distributedlock.spi.LockListener;

/**
 * Publishes each loss as an event of the application. Its listeners may block, so that
 * they are called on an executor.
 */
class LeaseLostEventPublisher implements LockListener {

	private static final Logger logger = LoggerFactory.getLogger(LeaseLostEventPublisher.class);

	private final ApplicationEventPublisher publisher;

	private final Supplier<Executor> executor;

	/**
	 * Create the publisher.
	 * @param publisher the application
	 * @param executor asked for at the first loss: it is that of the engine, which needs
	 * its listeners first
	 */
	LeaseLostEventPublisher(ApplicationEventPublisher publisher, Supplier<Executor> executor) {
		this.publisher = publisher;
		this.executor = executor;
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		String key = lease.keys().get(0);
		LeaseLostEvent event = new LeaseLostEvent(backend, key, request.getName(), lease.fencingToken(key), reason,
				heldFor);
		this.executor.get().execute(() -> publish(event));
	}

	private void publish(LeaseLostEvent event) {
		try {
			this.publisher.publishEvent(event);
		}
		catch (RuntimeException ex) {
			logger.warn("A listener of {} failed", event, ex);
		}
	}

}
