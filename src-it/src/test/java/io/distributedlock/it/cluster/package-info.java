/**
 * Several JVMs that share locks, their logs, and the check that no two holders had a lock
 * at the same time.
 */
@NullMarked
package io.distributedlock.it.cluster;

import org.jspecify.annotations.NullMarked;
