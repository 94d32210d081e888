/**
 * Ticks on all stores at once: with stores that go away, and with instances that do.
 */
@NullMarked
package io.distributedlock.it.ticks;

import org.jspecify.annotations.NullMarked;
