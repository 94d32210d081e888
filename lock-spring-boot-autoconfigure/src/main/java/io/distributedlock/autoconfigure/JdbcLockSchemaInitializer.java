package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import org.springframework.boot.sql.init.DatabaseInitializationSettings;

import io.distributedlock.backend.jdbc.JdbcLockSchema;
import io.distributedlock.backend.jdbc.JdbcLockSettings;

/**
 * Creates the tables of the locks.
 */
class JdbcLockSchemaInitializer extends NamedTableInitializer {

	JdbcLockSchemaInitializer(DataSource dataSource, LockJdbcProperties properties, JdbcLockSettings settings) {
		super(dataSource, initializationSettings(dataSource, properties),
				(script) -> JdbcLockSchema.withTableNames(script, settings));
	}

	private static DatabaseInitializationSettings initializationSettings(DataSource dataSource,
			LockJdbcProperties properties) {
		String schema = properties.schema();
		if (schema.equals(JdbcLockSchema.DEFAULT_LOCATION)) {
			// For a database without a script of ours, the backend says what it supports.
			schema = "optional:" + schema;
		}
		DatabaseInitializationSettings settings = settings(dataSource, schema, properties.platform(),
				properties.initializeSchema());
		settings.setContinueOnError(properties.continueOnError());
		return settings;
	}

}
