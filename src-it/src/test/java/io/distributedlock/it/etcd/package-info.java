/**
 * Tests for locks in etcd, on real servers.
 */
@NullMarked
package io.distributedlock.it.etcd;

import org.jspecify.annotations.NullMarked;
