/**
 * All stores on one class path.
 */
@NullMarked
package io.distributedlock.it.stores;

import org.jspecify.annotations.NullMarked;
