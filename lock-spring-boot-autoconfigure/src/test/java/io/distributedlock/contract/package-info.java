/**
 * The tests that every store has to pass, for this project and for authors of stores.
 */
@NullMarked
package io.distributedlock.contract;

import org.jspecify.annotations.NullMarked;
