package io.distributedlock.sample;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockContext;
import io.distributedlock.OnLost;

/**
 * Packs orders, which takes long. The lease is short and is renewed in the background, so
 * that the lock of a crashed instance is free soon. A holder that loses its lease is
 * notified and interrupted, and stops.
 */
@Service
public class PackingService {

	private static final Logger logger = LoggerFactory.getLogger(PackingService.class);

	private final OrderRepository orders;

	private final ApplicationEventPublisher events;

	PackingService(OrderRepository orders, ApplicationEventPublisher events) {
		this.orders = orders;
		this.events = events;
	}

	/**
	 * Pack an order.
	 * @param id the order
	 * @param time how long it takes
	 * @return the packed order
	 */
	@DistributedLock(name = "order", key = "#id", fenced = true, ttl = "${sample.pack.ttl}", onLost = OnLost.INTERRUPT)
	public Order pack(long id, Duration time) {
		Lease lease = LockContext.current();
		lease.onLost((lost) -> this.events.publishEvent(new HolderNotifiedEvent(id, lost.fencingToken())));
		Order order = this.orders.get(id);
		logger.info("Order {}: packing for {} ms with token {}; the lease is renewed", id, time.toMillis(),
				lease.fencingToken());
		try {
			Pause.of(time);
		}
		catch (IllegalStateException ex) {
			// The interrupt has a reason of its own if the lease is lost.
			LockContext.assertHeld();
			throw ex;
		}
		logger.info("Order {}: packed", id);
		return order;
	}

}
