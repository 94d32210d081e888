package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.util.StringUtils;

/**
 * Creates tables from a script that names them by placeholders.
 */
abstract class NamedTableInitializer extends DataSourceScriptDatabaseInitializer {

	private static final Logger logger = LoggerFactory.getLogger(NamedTableInitializer.class);

	private final DatabaseInitializationSettings settings;

	private final UnaryOperator<String> names;

	private final boolean failFast;

	/**
	 * Create an initializer.
	 * @param dataSource the database
	 * @param names puts the names of the tables into a script
	 * @param failFast whether a database that is away ends the start
	 */
	NamedTableInitializer(DataSource dataSource, UnaryOperator<String> names, boolean failFast) {
		this(dataSource, new DatabaseInitializationSettings(), names, failFast);
	}

	private NamedTableInitializer(DataSource dataSource, DatabaseInitializationSettings settings,
			UnaryOperator<String> names, boolean failFast) {
		super(dataSource, settings);
		this.settings = settings;
		this.names = names;
		this.failFast = failFast;
	}

	/**
	 * Say when which scripts are run. Called when the database is asked, since the place
	 * of a script depends on it.
	 * @param target takes what is said
	 */
	abstract void configure(DatabaseInitializationSettings target);

	/**
	 * Take note that the start goes on without the tables.
	 * @param fault why they can't be created now
	 */
	abstract void postponed(RuntimeException fault);

	@Override
	public void afterPropertiesSet() throws Exception {
		try {
			super.afterPropertiesSet();
		}
		catch (RuntimeException ex) {
			if (this.failFast) {
				throw ex;
			}
			postponed(ex);
		}
	}

	@Override
	public boolean initializeDatabase() {
		configure(this.settings);
		return super.initializeDatabase();
	}

	/**
	 * Put the platform into the place of a script.
	 * @param dataSource the database, asked for its platform where none is given
	 * @param schema where the script is, with the placeholder for the platform
	 * @param platform the platform, or {@code null}
	 */
	static List<String> locations(DataSource dataSource, String schema, @Nullable String platform) {
		PlatformPlaceholderDatabaseDriverResolver resolver = new PlatformPlaceholderDatabaseDriverResolver();
		return (platform != null && StringUtils.hasText(platform)) ? resolver.resolveAll(platform, schema)
				: resolver.resolveAll(dataSource, schema);
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
			logger.debug("Tables could not be created; trying once more", ex);
			super.runScripts(named);
		}
	}

	private Resource withTableNames(Resource script) {
		try {
			String text = this.names.apply(script.getContentAsString(StandardCharsets.UTF_8));
			return new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), script.getDescription());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
