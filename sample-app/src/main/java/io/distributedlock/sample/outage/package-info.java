/**
 * Takes the store of the locks away from this instance, to show what applications see
 * then.
 */
@NullMarked
package io.distributedlock.sample.outage;

import org.jspecify.annotations.NullMarked;
