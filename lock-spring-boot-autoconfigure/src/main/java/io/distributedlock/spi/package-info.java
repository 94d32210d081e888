/**
 * What a store implements, and what front ends build on.
 */
@NullMarked
package io.distributedlock.spi;

import org.jspecify.annotations.NullMarked;
