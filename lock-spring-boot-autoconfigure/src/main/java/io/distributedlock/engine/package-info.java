/**
 * The event-driven engine behind the template: queues waiters, renews leases and reports
 * losses.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
