package io.distributedlock.autoconfigure;

import io.distributedlock.spi.LockBackend;

/**
 * A store with its name in the properties.
 *
 * @param name the name
 * @param backend the store
 */
record NamedBackend(String name, LockBackend backend) {
}
