/**
 * Tests of locks on a majority of real, independent Redis nodes.
 */
@NullMarked
package io.distributedlock.it.redlock;

import org.jspecify.annotations.NullMarked;
