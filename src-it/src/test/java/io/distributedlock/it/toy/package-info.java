/**
 * A store that was written from {@code docs/add-a-store.md} alone: a server of a few
 * operations, and a backend for it.
 */
@NullMarked
package io.distributedlock.it.toy;

import org.jspecify.annotations.NullMarked;
