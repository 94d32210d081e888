/**
 * Notifies waiters of releases, and says how long they wait if they are not notified.
 */
@NullMarked
package io.distributedlock.backend.notification;

import org.jspecify.annotations.NullMarked;
