package io.distributedlock.sample;

import java.util.List;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

import io.distributedlock.StaleTokenException;

/**
 * The rows that the locks protect, one for each order. Each row stores the fencing token
 * of its last write, and refuses a former holder. That works because each row has its own
 * key: tokens of different keys can't be compared.
 */
@Repository
public class OrderRepository {

	private static final String WRITE = """
			UPDATE order_stock SET stock = :stock, last_token = :token, changed_by = :instance
			WHERE order_id = :id AND last_token <= :token""";

	private static final String INSERT = """
			INSERT INTO order_stock (order_id, stock, last_token, changed_by)
			VALUES (:id, :stock, :token, :instance)""";

	private final JdbcClient jdbc;

	private final String instance;

	private final ApplicationEventPublisher events;

	OrderRepository(JdbcClient jdbc, @Value("${lock.instance-id}") String instance, ApplicationEventPublisher events) {
		this.jdbc = jdbc;
		this.instance = instance;
		this.events = events;
	}

	Order get(long id) {
		return this.jdbc.sql("SELECT stock, last_token, changed_by FROM order_stock WHERE order_id = ?")
			.param(id)
			.query((row, number) -> new Order(id, row.getInt(1), row.getLong(2), row.getString(3)))
			.optional()
			.orElseThrow(() -> new UnknownOrderException(id));
	}

	/**
	 * Return the orders with the smallest numbers.
	 * @param limit the greatest number of orders
	 * @return the orders, sorted by number
	 */
	public List<Order> first(int limit) {
		return this.jdbc
			.sql("SELECT order_id, stock, last_token, changed_by FROM order_stock ORDER BY order_id LIMIT ?")
			.param(limit)
			.query((row, number) -> new Order(row.getLong(1), row.getInt(2), row.getLong(3), row.getString(4)))
			.list();
	}

	boolean exists(long id) {
		return this.jdbc.sql("SELECT COUNT(*) FROM order_stock WHERE order_id = ?")
			.param(id)
			.query(Integer.class)
			.single() > 0;
	}

	/**
	 * Write the stock of an order that exists. Repeated writes of one holder carry the
	 * same token, hence {@code <=} in the statement.
	 * @throws StaleTokenException if a later holder has written before
	 */
	Order write(long id, int stock, long token) {
		if (change(WRITE, id, stock, token) == 0) {
			this.events.publishEvent(new WriteRefusedEvent(id, token));
			throw new StaleTokenException("order_stock row of order " + id, token);
		}
		return new Order(id, stock, token, this.instance);
	}

	Order insert(long id, int stock, long token) {
		change(INSERT, id, stock, token);
		return new Order(id, stock, token, this.instance);
	}

	private int change(String sql, long id, int stock, long token) {
		return this.jdbc.sql(sql)
			.param("id", id)
			.param("stock", stock)
			.param("token", token)
			.param("instance", this.instance)
			.update();
	}

}
