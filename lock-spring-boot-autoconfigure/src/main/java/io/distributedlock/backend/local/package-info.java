/**
 * The store inside one JVM: for tests, for single instances, and as the reference of what
 * every store must do.
 */
@NullMarked
package io.distributedlock.backend.local;

import org.jspecify.annotations.NullMarked;
