/**
 * Hand-over of leases inside a JVM, on real stores.
 */
@NullMarked
package io.distributedlock.it.handover;

import org.jspecify.annotations.NullMarked;
