/**
 * Keeps locks on a majority of N independent Redis nodes, with fencing tokens that grow
 * strictly over all of them.
 */
@NullMarked
package io.distributedlock.backend.redlock;

import org.jspecify.annotations.NullMarked;
