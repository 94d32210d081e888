/**
 * Locks in Redis, on real servers.
 */
@NullMarked
package io.distributedlock.it.redis;

import org.jspecify.annotations.NullMarked;
