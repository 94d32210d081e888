package io.distributedlock.sample;

/**
 * Thrown if an order has no stock row.
 */
public class UnknownOrderException extends RuntimeException {

	UnknownOrderException(long id) {
		super("There is no order " + id + "; PUT /orders/" + id + "?stock=100 makes one");
	}

}
