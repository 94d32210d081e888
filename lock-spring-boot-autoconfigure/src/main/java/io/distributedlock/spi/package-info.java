/**
 * Interfaces that stores implement and that front ends use.
 */
@NullMarked
package io.distributedlock.spi;

import org.jspecify.annotations.NullMarked;
