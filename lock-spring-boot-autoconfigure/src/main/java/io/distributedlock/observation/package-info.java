/**
 * Micrometer observations and meters of locks, with conventions that applications can
 * replace.
 */
@NullMarked
package io.distributedlock.observation;

import org.jspecify.annotations.NullMarked;
