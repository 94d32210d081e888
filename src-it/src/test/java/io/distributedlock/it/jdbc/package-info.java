/**
 * What databases have in common behind a network that fails.
 */
@NullMarked
package io.distributedlock.it.jdbc;

import org.jspecify.annotations.NullMarked;
