/**
 * Spring Integration's lock registry and the election of leaders, over the locks of this
 * library.
 */
@NullMarked
package io.distributedlock.integration;

import org.jspecify.annotations.NullMarked;
