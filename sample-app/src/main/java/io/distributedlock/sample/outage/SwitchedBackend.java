package io.distributedlock.sample.outage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockBackend;

/**
 * A store that can be switched off.
 *
 * @param delegate the store
 * @param power whether it is switched off
 */
record SwitchedBackend(LockBackend delegate, StoreSwitch power) implements LockBackend {

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
		return new SwitchedConnection(this.delegate.connect(listener), this.power);
	}

}
