/**
 * Tells the lock around a scheduled method that it is the scheduler that calls.
 */
@NullMarked
package io.distributedlock.scheduling;

import org.jspecify.annotations.NullMarked;
