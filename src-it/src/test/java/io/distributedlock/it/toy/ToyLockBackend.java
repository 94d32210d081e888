package io.distributedlock.it.toy;

import java.time.Duration;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockBackend;

/**
 * Locks at a {@link ToyServer}.
 */
final class ToyLockBackend implements LockBackend {

	static final String NAME = "toy";

	static final BackendTraits TRAITS = new BackendTraits(BackendTraits.LeaseKind.PER_LOCK, true, false, 0, true,
			Duration.ofMillis(1), null, 100);

	private final ToySettings settings;

	ToyLockBackend(ToySettings settings) {
		this.settings = settings;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public String address() {
		return this.settings.address();
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new ToyConnection(this.settings);
	}

}
