package io.distributedlock.it.toy;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.BackendTraits.LeaseKind;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Keeps locks at a toy server.
 *
 * @param server where the server is
 * @param prefix what comes before the keys
 * @param instance what other instances see as the holder
 * @param timeout how long a call may take
 * @param clock the clock of this JVM
 */
record ToyLockBackend(InetSocketAddress server, KeyPrefix prefix, String instance, Duration timeout,
		LockClock clock) implements LockBackend {

	static final String NAME = "toy";

	static final BackendTraits TRAITS = new BackendTraits(LeaseKind.PER_LOCK, true, false, false, true,
			Duration.ofMillis(100), null, 100);

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public BackendTraits traits() {
		return TRAITS;
	}

	@Override
	public String address() {
		return this.server.toString();
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		return new ToyConnection(new ToyWire(this.server, this.timeout, this.clock), this);
	}

}
