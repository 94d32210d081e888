/**
 * What the stores have in common.
 */
@NullMarked
package io.distributedlock.backend;

import org.jspecify.annotations.NullMarked;
