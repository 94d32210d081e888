/**
 * Support for tests of applications: locks that are held, expire and are taken away on
 * demand, and leases without a store.
 */
@NullMarked
package io.distributedlock.test;

import org.jspecify.annotations.NullMarked;
