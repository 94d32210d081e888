/**
 * The store that keeps locks as keys of a Redis: one script to acquire, one to release,
 * the server's clock only.
 */
@NullMarked
package io.distributedlock.backend.redis;

import org.jspecify.annotations.NullMarked;
