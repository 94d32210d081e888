/**
 * Lua scripts, their calls and the names of keys, for all stores that keep locks in Redis
 * servers.
 */
@NullMarked
package io.distributedlock.backend.redis.script;

import org.jspecify.annotations.NullMarked;
