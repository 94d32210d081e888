/**
 * Passes the schedule of a scheduler's call to the lock around the scheduled method.
 */
@NullMarked
package io.distributedlock.scheduling;

import org.jspecify.annotations.NullMarked;
