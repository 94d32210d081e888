/**
 * The store inside one JVM, for tests and single instances. It is the reference for what
 * every store must do.
 */
@NullMarked
package io.distributedlock.backend.local;

import org.jspecify.annotations.NullMarked;
