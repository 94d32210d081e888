package io.distributedlock.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockContext;

/**
 * Changes the stock of orders, one change at a time for each order in the whole cluster.
 * The lock is outside the transaction: lock, begin, read, write, commit, unlock.
 */
@Service
public class OrderService {

	private static final Logger logger = LoggerFactory.getLogger(OrderService.class);

	private final OrderRepository orders;

	OrderService(OrderRepository orders) {
		this.orders = orders;
	}

	/**
	 * Take one from the stock.
	 * @param id the order
	 * @return the order as it is now
	 * @throws OutOfStockException if there is none left
	 */
	@DistributedLock(name = "order", key = "#id", fenced = true)
	@Transactional
	public Order reserve(long id) {
		long token = LockContext.current().fencingToken();
		Order order = this.orders.get(id);
		if (order.stock() == 0) {
			throw new OutOfStockException(id);
		}
		Order changed = this.orders.write(id, order.stock() - 1, token);
		logger.info("Order {}: one reserved, {} left, token {}", id, changed.stock(), token);
		return changed;
	}

	/**
	 * Set the stock of an order, which need not exist.
	 * @param id the order
	 * @param stock what it has in stock from now on
	 * @return the order as it is now
	 */
	@DistributedLock(name = "order", key = "#id", fenced = true)
	@Transactional
	public Order setStock(long id, int stock) {
		long token = LockContext.current().fencingToken();
		Order changed = this.orders.exists(id) ? this.orders.write(id, stock, token)
				: this.orders.insert(id, stock, token);
		logger.info("Order {}: stock set to {}, token {}", id, stock, token);
		return changed;
	}

}
