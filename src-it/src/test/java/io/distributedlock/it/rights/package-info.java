/**
 * Rights at the stores as the reference documents them.
 */
@NullMarked
package io.distributedlock.it.rights;

import org.jspecify.annotations.NullMarked;
