/**
 * The store in etcd: an entry in the queue is a key that lives as long as its client's
 * session, and the first one has the lock.
 */
@NullMarked
package io.distributedlock.backend.etcd;

import org.jspecify.annotations.NullMarked;
