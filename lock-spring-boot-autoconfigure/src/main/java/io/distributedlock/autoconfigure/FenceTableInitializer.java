package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import io.distributedlock.fencing.FenceTable;

/**
 * Creates the table of fencing tokens, where there is a script for the database.
 */
class FenceTableInitializer extends NamedTableInitializer {

	FenceTableInitializer(DataSource dataSource, LockFencingProperties properties, FenceTable table) {
		super(dataSource, settings(dataSource, "optional:" + FenceTable.SCHEMA_LOCATION, properties.platform(),
				properties.initializeSchema()), table::named);
	}

}
