/**
 * The store that keeps locks as rows of a database table. Only the database's clock
 * decides when leases expire.
 */
@NullMarked
package io.distributedlock.backend.jdbc;

import org.jspecify.annotations.NullMarked;
