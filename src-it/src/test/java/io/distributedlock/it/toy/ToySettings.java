package io.distributedlock.it.toy;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.spi.LockClock;

/**
 * How a client uses the server.
 *
 * @param server the address of the server
 * @param prefix what the names of locks begin with
 * @param instance what this JVM is called as a holder
 * @param callTimeout how long a call or a connection may take
 * @param clock the clock of this JVM
 */
record ToySettings(InetSocketAddress server, KeyPrefix prefix, String instance, Duration callTimeout, LockClock clock) {

	/**
	 * Return what messages call the store.
	 */
	String store() {
		return "The toy store at " + address();
	}

	String address() {
		return this.server.getHostString() + ":" + this.server.getPort();
	}

}
