/**
 * The operator's epoch in the high bits of fencing tokens, and the agreement on it of all
 * instances that share a store.
 */
@NullMarked
package io.distributedlock.epoch;

import org.jspecify.annotations.NullMarked;
