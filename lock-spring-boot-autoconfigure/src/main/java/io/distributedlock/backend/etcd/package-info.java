/**
 * The store in etcd: a place in line is a key that lives as long as its client's session,
 * and the lock is had by whoever stands first.
 */
@NullMarked
package io.distributedlock.backend.etcd;

import org.jspecify.annotations.NullMarked;
