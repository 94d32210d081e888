/**
 * Shared parts of the stores that keep locks for as long as the session of their client
 * lives.
 */
@NullMarked
package io.distributedlock.backend.session;

import org.jspecify.annotations.NullMarked;
