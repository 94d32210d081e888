/**
 * Reaches the nodes of a Redlock by Lettuce.
 */
@NullMarked
package io.distributedlock.backend.redlock.lettuce;

import org.jspecify.annotations.NullMarked;
