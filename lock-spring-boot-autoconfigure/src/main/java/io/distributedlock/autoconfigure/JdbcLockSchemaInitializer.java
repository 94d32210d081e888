package io.distributedlock.autoconfigure;

import java.sql.Connection;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.distributedlock.backend.jdbc.JdbcLockSchema;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.TableCreation;

/**
 * Creates the tables of the locks at startup. If the database is unavailable and the
 * application may start without it, they are created before their first use.
 */
class JdbcLockSchemaInitializer extends NamedTableInitializer implements TableCreation {

	private static final Logger logger = LoggerFactory.getLogger(JdbcLockSchemaInitializer.class);

	private final DataSource dataSource;

	private final LockJdbcProperties properties;

	private final JdbcLockSettings settings;

	// Written by the thread that starts the context, and by the threads that first use
	// the database, one at a time.
	private volatile boolean pending;

	JdbcLockSchemaInitializer(DataSource dataSource, LockJdbcProperties properties, JdbcLockSettings settings,
			boolean failFast) {
		super(dataSource, (script) -> JdbcLockSchema.withTableNames(script, settings), failFast);
		this.dataSource = dataSource;
		this.properties = properties;
		this.settings = settings;
	}

	@Override
	void configure(DatabaseInitializationSettings target) {
		String schema = this.properties.schema();
		if (schema.equals(JdbcLockSchema.DEFAULT_LOCATION)) {
			// For a database without a script, the backend reports the supported
			// databases.
			schema = "optional:" + schema;
		}
		target.setSchemaLocations(locations(this.dataSource, schema, this.properties.platform()));
		target.setMode(this.properties.initializeSchema());
		target.setContinueOnError(this.properties.continueOnError());
	}

	@Override
	void postponed(RuntimeException fault) {
		this.pending = true;
		logger.warn("The tables of the locks can't be created yet; they will be before their first use: {}",
				String.valueOf(fault.getMessage()));
		logger.debug("Why the tables can't be created yet", fault);
	}

	@Override
	public void createTables(Connection connection) {
		if (this.pending) {
			// Use the connection of the caller. If the other connections of its pool
			// belong to callers that wait for this initialization, no further one is
			// available.
			new JdbcLockSchemaInitializer(new SingleConnectionDataSource(connection, true), this.properties,
					this.settings, true)
				.initializeDatabase();
			this.pending = false;
			logger.info("The tables of the locks are created where they were missing");
		}
	}

}
