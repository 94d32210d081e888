package io.distributedlock.sample;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

import io.distributedlock.StaleTokenException;

/**
 * The rows that the locks protect, one for each order. Each row stores the fencing token
 * of its last write, and refuses a former holder. That works because each row has its own
 * key: tokens of different keys can't be compared.
 */
@Repository
class OrderRepository {

	private static final String WRITE = """
			UPDATE order_stock SET stock = :stock, last_token = :token, changed_by = :instance
			WHERE order_id = :id AND last_token <= :token""";

	private static final String INSERT = """
			INSERT INTO order_stock (order_id, stock, last_token, changed_by)
			VALUES (:id, :stock, :token, :instance)""";

	private final JdbcClient jdbc;

	private final String instance;

	OrderRepository(JdbcClient jdbc, @Value("${lock.instance-id}") String instance) {
		this.jdbc = jdbc;
		this.instance = instance;
	}

	Order get(long id) {
		return this.jdbc.sql("SELECT stock, last_token, changed_by FROM order_stock WHERE order_id = ?")
			.param(id)
			.query((row, number) -> new Order(id, row.getInt(1), row.getLong(2), row.getString(3)))
			.optional()
			.orElseThrow(() -> new UnknownOrderException(id));
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
