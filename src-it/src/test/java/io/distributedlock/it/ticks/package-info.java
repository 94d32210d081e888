/**
 * Ticks on all stores at once, with outages of stores and with instances that end.
 */
@NullMarked
package io.distributedlock.it.ticks;

import org.jspecify.annotations.NullMarked;
