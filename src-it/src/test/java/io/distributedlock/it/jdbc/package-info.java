/**
 * Contracts and tests for all databases, with rights, pools and networks that fail.
 */
@NullMarked
package io.distributedlock.it.jdbc;

import org.jspecify.annotations.NullMarked;
