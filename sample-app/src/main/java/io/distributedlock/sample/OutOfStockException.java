package io.distributedlock.sample;

/**
 * Thrown if an order's stock is used up.
 */
public class OutOfStockException extends RuntimeException {

	OutOfStockException(long id) {
		super("Nothing is left in stock for order " + id + "; PUT /orders/" + id + "?stock=100 fills it up");
	}

}
