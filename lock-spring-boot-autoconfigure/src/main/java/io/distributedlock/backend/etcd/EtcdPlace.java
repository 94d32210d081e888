package io.distributedlock.backend.etcd;

import io.etcd.jetcd.ByteSequence;

import io.distributedlock.spi.LockTarget;

/**
 * The place of a request in the queue for one of its keys.
 *
 * @param target the key, and the mode of the request
 * @param name the name of its entry
 */
record EtcdPlace(LockTarget target, ByteSequence name) {

	String key() {
		return this.target.key();
	}

}
