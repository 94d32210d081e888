/**
 * The page that shows the locks live.
 */
@NullMarked
package io.distributedlock.sample.page;

import org.jspecify.annotations.NullMarked;
