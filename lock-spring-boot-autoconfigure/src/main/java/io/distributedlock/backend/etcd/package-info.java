/**
 * The store that keeps locks in etcd. An entry in the queue is a key that lives as long
 * as its client's session, and the first entry has the lock.
 */
@NullMarked
package io.distributedlock.backend.etcd;

import org.jspecify.annotations.NullMarked;
