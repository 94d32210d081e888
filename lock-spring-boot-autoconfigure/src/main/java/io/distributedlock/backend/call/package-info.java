/**
 * Calls to a store, with their states and their timeout. Shared by the stores.
 */
@NullMarked
package io.distributedlock.backend.call;

import org.jspecify.annotations.NullMarked;
