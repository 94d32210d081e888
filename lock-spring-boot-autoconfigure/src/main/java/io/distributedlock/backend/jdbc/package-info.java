/**
 * The store that keeps locks as rows of a table: one statement to acquire, one to
 * release, the database's clock only.
 */
@NullMarked
package io.distributedlock.backend.jdbc;

import org.jspecify.annotations.NullMarked;
