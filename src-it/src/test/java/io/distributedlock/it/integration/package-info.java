/**
 * Spring Integration on every store.
 */
@NullMarked
package io.distributedlock.it.integration;

import org.jspecify.annotations.NullMarked;
