/**
 * Keeps leases until the transaction that their body took part in has completed.
 */
@NullMarked
package io.distributedlock.transaction;

import org.jspecify.annotations.NullMarked;
