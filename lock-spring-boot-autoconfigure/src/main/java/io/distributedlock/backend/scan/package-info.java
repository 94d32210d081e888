/**
 * Pages of locks from servers whose keys can only be walked by a cursor. Shared by the
 * stores.
 */
@NullMarked
package io.distributedlock.backend.scan;

import org.jspecify.annotations.NullMarked;
