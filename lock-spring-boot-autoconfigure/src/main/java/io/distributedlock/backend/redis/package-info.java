/**
 * The store that keeps locks as keys of a Redis. One script acquires, one releases, and
 * only the server's clock counts.
 */
@NullMarked
package io.distributedlock.backend.redis;

import org.jspecify.annotations.NullMarked;
