/**
 * The event-driven engine behind the template: queues waiters, renews leases, notifies of
 * losses.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
