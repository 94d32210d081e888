package io.distributedlock.observation;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockBackend;

/**
 * Measures the calls to a store.
 *
 * @param delegate the store
 * @param meters the meters of the store
 */
record MeteredLockBackend(LockBackend delegate, StoreMeters meters) implements LockBackend {

	@Override
	public String name() {
		return this.delegate.name();
	}

	@Override
	public @Nullable String address() {
		return this.delegate.address();
	}

	@Override
	public BackendTraits traits() {
		return this.delegate.traits();
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new MeteredConnection(this.delegate.connect(listener), this.meters);
	}

}
