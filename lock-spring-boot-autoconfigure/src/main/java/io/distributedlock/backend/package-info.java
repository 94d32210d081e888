/**
 * Classes that the stores share.
 */
@NullMarked
package io.distributedlock.backend;

import org.jspecify.annotations.NullMarked;
