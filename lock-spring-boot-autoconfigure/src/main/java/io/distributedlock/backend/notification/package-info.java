/**
 * Notifies waiters of releases, and determines the delays at which they poll.
 */
@NullMarked
package io.distributedlock.backend.notification;

import org.jspecify.annotations.NullMarked;
