/**
 * Locks that AspectJ's agent weaves into methods.
 */
@NullMarked
package io.distributedlock.it.weaving;

import org.jspecify.annotations.NullMarked;
