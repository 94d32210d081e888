package io.distributedlock.spi;

/**
 * How a store grants a target with several keys.
 *
 * @since 0.1.0
 */
public enum SeveralKeys {

	/**
	 * Not in one grant. The engine acquires the keys one after the other, in their order,
	 * and holds those it has while it waits for the next one.
	 */
	ONE_BY_ONE,

	/**
	 * In one attempt that takes all of them or none, and holds nothing while it waits.
	 * Traffic on the single keys may delay it without end, so after some attempts the
	 * engine acquires the keys one by one.
	 */
	AT_ONCE,

	/**
	 * In one attempt that enters the queues of all keys in one step, and holds when it is
	 * the first in all of them. On such a store, a request must not hold one of its keys
	 * while it enters the queue of another: two requests could wait for each other.
	 */
	IN_LINE

}
