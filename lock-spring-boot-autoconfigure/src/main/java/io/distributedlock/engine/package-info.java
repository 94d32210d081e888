/**
 * The event-driven engine behind the template: queues waiters, renews leases, tells of
 * losses.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
