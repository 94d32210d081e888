/**
 * A small store with a server of its own, written from the page on adding a store.
 */
@NullMarked
package io.distributedlock.it.toy;

import org.jspecify.annotations.NullMarked;
