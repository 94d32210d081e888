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
 * Creates tables from a script with placeholders for their names.
 */
abstract class NamedTableInitializer extends DataSourceScriptDatabaseInitializer {

	private static final Logger logger = LoggerFactory.getLogger(NamedTableInitializer.class);

	private final DatabaseInitializationSettings settings;

	private final UnaryOperator<String> names;

	private final boolean failFast;

	/**
	 * Create an initializer.
	 * @param dataSource the database
	 * @param names replaces the placeholders in a script
	 * @param failFast whether startup fails if the database is unavailable
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
	 * Configure when and which scripts are run. Called when the database is used, because
	 * the location of a script depends on it.
	 * @param target the settings to change
	 */
	abstract void configure(DatabaseInitializationSettings target);

	/**
	 * Called if startup continues without the tables.
	 * @param fault the reason why they can't be created now
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
	 * Replace the placeholder for the platform in the location of a script.
	 * @param dataSource the database, which determines the platform if none is given
	 * @param schema the location of the script, with the placeholder for the platform
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
			// Two instances that start at once can conflict in a database, even with IF
			// NOT EXISTS. At the second try the tables of the other instance exist.
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
