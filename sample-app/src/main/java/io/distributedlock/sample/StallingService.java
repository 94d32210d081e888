package io.distributedlock.sample;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LockContext;

/**
 * Demonstrates what must not happen: stops for longer than its lease lasts and then
 * writes, like a process that was paused or swapped out. Shows that the write is refused.
 */
@Service
public class StallingService {

	private static final Logger logger = LoggerFactory.getLogger(StallingService.class);

	private final OrderRepository orders;

	private final TransactionOperations transaction;

	StallingService(OrderRepository orders, TransactionOperations transaction) {
		this.orders = orders;
		this.transaction = transaction;
	}

	/**
	 * Read the stock, stop, and take one from what was read. The transaction begins only
	 * after the stop, so that no connection is kept meanwhile.
	 * @param id the order
	 * @param time how long to stop
	 * @return the order as it is now, if the stop was shorter than the lease
	 */
	@DistributedLock(name = "order", key = "#id", fenced = true, ttl = "${sample.stall.ttl}", renew = false)
	public Order stall(long id, Duration time) {
		Lease lease = LockContext.current();
		Order order = this.orders.get(id);
		logger.info("Order {}: stalling for {} ms with token {}; the lease lasts {} ms and is not renewed", id,
				time.toMillis(), lease.fencingToken(), lease.remaining().toMillis());
		Pause.of(time);
		logger.info("Order {}: writing with token {}, lease held: {}", id, lease.fencingToken(), lease.isHeld());
		return this.transaction.execute((status) -> writeAsIfNothingHadHappened(order, lease));
	}

	private Order writeAsIfNothingHadHappened(Order order, Lease lease) {
		// The write is refused here if a later holder has written, because the row has a
		// greater token.
		Order changed = this.orders.write(order.id(), order.stock() - 1, lease.fencingToken());
		// No other holder has written. The value that was read is still current, but the
		// next holder may be reading now: roll back.
		LockContext.assertHeld();
		return changed;
	}

}
