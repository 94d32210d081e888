package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;

import io.distributedlock.fencing.FenceTable;

/**
 * Creates the table of fencing tokens, where there is a script for the database.
 */
class FenceTableInitializer extends NamedTableInitializer {

	private static final Logger logger = LoggerFactory.getLogger(FenceTableInitializer.class);

	private final DataSource dataSource;

	private final DatabaseInitializationSettings initialization;

	private final LockFencingProperties properties;

	private final boolean failFast;

	/**
	 * Create an initializer.
	 * @param dataSource the database
	 * @param properties the properties
	 * @param table the table
	 * @param failFast whether a database that is away ends the start
	 */
	FenceTableInitializer(DataSource dataSource, LockFencingProperties properties, FenceTable table, boolean failFast) {
		this(dataSource, new DatabaseInitializationSettings(), properties, table, failFast);
	}

	private FenceTableInitializer(DataSource dataSource, DatabaseInitializationSettings initialization,
			LockFencingProperties properties, FenceTable table, boolean failFast) {
		super(dataSource, initialization, table::named);
		this.dataSource = dataSource;
		this.initialization = initialization;
		this.properties = properties;
		this.failFast = failFast;
	}

	@Override
	public void afterPropertiesSet() throws Exception {
		try {
			super.afterPropertiesSet();
		}
		catch (RuntimeException ex) {
			if (this.failFast) {
				throw ex;
			}
			logger.warn("Whether the table of fencing tokens has to be created is unknown, since the database can't"
					+ " be asked; if it is missing, the next start creates it", ex);
		}
	}

	@Override
	public boolean initializeDatabase() {
		// Not before: the place of the script depends on the database, which is asked.
		this.initialization.setSchemaLocations(
				locations(this.dataSource, "optional:" + FenceTable.SCHEMA_LOCATION, this.properties.platform()));
		this.initialization.setMode(this.properties.initializeSchema());
		return super.initializeDatabase();
	}

}
