/**
 * Token epochs: a number in the high bits of fencing tokens, set by the administrator, on
 * which all instances that share a store agree.
 */
@NullMarked
package io.distributedlock.epoch;

import org.jspecify.annotations.NullMarked;
