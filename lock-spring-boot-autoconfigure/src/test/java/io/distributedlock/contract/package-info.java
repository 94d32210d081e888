/**
 * What every store has to show, for this project and for authors of stores.
 */
@NullMarked
package io.distributedlock.contract;

import org.jspecify.annotations.NullMarked;
