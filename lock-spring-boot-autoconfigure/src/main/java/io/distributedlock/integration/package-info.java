/**
 * Spring Integration's lock registry over the locks of this library.
 */
@NullMarked
package io.distributedlock.integration;

import org.jspecify.annotations.NullMarked;
