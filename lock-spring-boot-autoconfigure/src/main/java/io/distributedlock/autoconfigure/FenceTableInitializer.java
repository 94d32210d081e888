package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;

import io.distributedlock.fencing.FenceTable;

/**
 * Creates the table of fencing tokens, if there is a script for the database.
 */
class FenceTableInitializer extends NamedTableInitializer {

	private static final Logger logger = LoggerFactory.getLogger(FenceTableInitializer.class);

	private final DataSource dataSource;

	private final LockFencingProperties properties;

	/**
	 * Create an initializer.
	 * @param dataSource the database
	 * @param properties the properties
	 * @param table the table
	 * @param failFast whether startup fails if the database is unavailable
	 */
	FenceTableInitializer(DataSource dataSource, LockFencingProperties properties, FenceTable table, boolean failFast) {
		super(dataSource, table::named, failFast);
		this.dataSource = dataSource;
		this.properties = properties;
	}

	@Override
	void configure(DatabaseInitializationSettings target) {
		target.setSchemaLocations(
				locations(this.dataSource, "optional:" + FenceTable.SCHEMA_LOCATION, this.properties.platform()));
		target.setMode(this.properties.initializeSchema());
	}

	@Override
	void postponed(RuntimeException fault) {
		logger.warn("Whether the table of fencing tokens has to be created is unknown, since the database can't"
				+ " be asked; if it is missing, the next start creates it", fault);
	}

}
