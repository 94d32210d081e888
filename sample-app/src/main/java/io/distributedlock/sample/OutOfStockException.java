package io.distributedlock.sample;

/**
 * Nothing is left of an order's stock.
 */
public class OutOfStockException extends RuntimeException {

	OutOfStockException(long id) {
		super("Nothing is left in stock for order " + id + "; PUT /orders/" + id + "?stock=100 fills it up");
	}

}
