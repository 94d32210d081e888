package io.distributedlock.autoconfigure;

import io.distributedlock.spi.LockBackend;

/**
 * Puts something in front of each store, for example to measure its calls.
 */
@FunctionalInterface
interface BackendDecorator {

	/**
	 * Changes nothing.
	 */
	BackendDecorator NONE = (store, backend) -> backend;

	/**
	 * Decorate a store.
	 * @param store the name of the store
	 * @param backend the store
	 * @return the store to use
	 */
	LockBackend decorate(String store, LockBackend backend);

}
