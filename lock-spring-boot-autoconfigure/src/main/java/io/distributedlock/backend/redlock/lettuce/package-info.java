/**
 * Accesses the nodes of a Redlock with Lettuce.
 */
@NullMarked
package io.distributedlock.backend.redlock.lettuce;

import org.jspecify.annotations.NullMarked;
