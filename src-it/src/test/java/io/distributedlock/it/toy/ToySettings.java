package io.distributedlock.it.toy;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.spi.LockClock;

/**
 * How a client uses the server.
 *
 * @param server the address of the server
 * @param prefix the prefix of the names of locks
 * @param instance the name of this JVM as a holder
 * @param callTimeout how long a call or a connection may take
 * @param clock the clock of this JVM
 */
record ToySettings(InetSocketAddress server, KeyPrefix prefix, String instance, Duration callTimeout, LockClock clock) {

	/**
	 * Return the name of the store in messages.
	 */
	String store() {
		return "The toy store at " + address();
	}

	String address() {
		return this.server.getHostString() + ":" + this.server.getPort();
	}

}
