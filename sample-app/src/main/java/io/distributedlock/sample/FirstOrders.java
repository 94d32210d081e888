package io.distributedlock.sample;

import java.time.Duration;
import java.util.List;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

/**
 * Creates a few orders to play with. Instances that start at once all try; the template,
 * which locks where an annotation can't, lets one of them create each order. The keys are
 * those of the locked methods of {@link OrderService}.
 */
@Component
@Order(1)
class FirstOrders implements ApplicationRunner {

	private static final int STOCK = 100;

	/**
	 * How long the first use of a database may take if another instance is opening it.
	 */
	private static final Duration START_TIME = Duration.ofSeconds(30);

	private final LockTemplate locks;

	private final OrderRepository orders;

	FirstOrders(LockTemplate locks, OrderRepository orders) {
		this.locks = locks;
		this.orders = orders;
	}

	@Override
	public void run(ApplicationArguments args) {
		for (long id : List.of(1L, 2L, 3L)) {
			LockRequest patiently = LockRequest.of("order:" + id).waitTime(START_TIME);
			this.locks.executeWithoutResult(patiently, (lease) -> makeUnlessThere(id, lease));
		}
	}

	private void makeUnlessThere(long id, Lease lease) {
		if (!this.orders.exists(id)) {
			this.orders.insert(id, STOCK, lease.fencingToken());
		}
	}

}
