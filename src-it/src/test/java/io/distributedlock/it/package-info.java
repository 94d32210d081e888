/**
 * Integration, fault and multi-process tests, each store in a package of its own.
 */
@NullMarked
package io.distributedlock.it;

import org.jspecify.annotations.NullMarked;
