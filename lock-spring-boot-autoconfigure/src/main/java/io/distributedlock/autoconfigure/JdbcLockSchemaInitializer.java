package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.util.StringUtils;

import io.distributedlock.backend.jdbc.JdbcLockSchema;
import io.distributedlock.backend.jdbc.JdbcLockSettings;

/**
 * Creates the tables of the locks from a script that may name them by placeholders.
 */
class JdbcLockSchemaInitializer extends DataSourceScriptDatabaseInitializer {

	private static final Logger logger = LoggerFactory.getLogger(JdbcLockSchemaInitializer.class);

	private final JdbcLockSettings settings;

	JdbcLockSchemaInitializer(DataSource dataSource, LockJdbcProperties properties, JdbcLockSettings settings) {
		super(dataSource, initializationSettings(dataSource, properties));
		this.settings = settings;
	}

	private static DatabaseInitializationSettings initializationSettings(DataSource dataSource,
			LockJdbcProperties properties) {
		PlatformPlaceholderDatabaseDriverResolver resolver = new PlatformPlaceholderDatabaseDriverResolver();
		String platform = properties.platform();
		String schema = properties.schema();
		if (schema.equals(JdbcLockSchema.DEFAULT_LOCATION)) {
			// For a database without a script of ours, the backend says what it supports.
			schema = "optional:" + schema;
		}
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setSchemaLocations((platform != null && StringUtils.hasText(platform))
				? resolver.resolveAll(platform, schema) : resolver.resolveAll(dataSource, schema));
		settings.setMode(properties.initializeSchema());
		settings.setContinueOnError(properties.continueOnError());
		return settings;
	}

	@Override
	protected void runScripts(Scripts scripts) {
		List<Resource> resources = new ArrayList<>();
		scripts.forEach((script) -> resources.add(withTableNames(script)));
		Scripts named = new Scripts(resources).continueOnError(scripts.isContinueOnError())
			.separator(scripts.getSeparator())
			.encoding(StandardCharsets.UTF_8);
		try {
			super.runScripts(named);
		}
		catch (ScriptException ex) {
			// Databases let two instances that start at once run into each other, even
			// with IF NOT EXISTS; the second time the tables of the other one are there.
			logger.debug("The tables of the locks could not be created; trying once more", ex);
			super.runScripts(named);
		}
	}

	private Resource withTableNames(Resource script) {
		try {
			String text = JdbcLockSchema.withTableNames(script.getContentAsString(StandardCharsets.UTF_8),
					this.settings);
			return new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), script.getDescription());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
