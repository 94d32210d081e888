package io.distributedlock.backend.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the scripts that create the tables of the locks. Each platform has one,
 * {@code schema-<platform>.sql} in the package of this class. Placeholders stand for the
 * names of the tables.
 *
 * @since 0.1.0
 */
public final class JdbcLockSchema {

	/**
	 * The location of the scripts, with the placeholder for the platform that Spring Boot
	 * replaces.
	 */
	public static final String DEFAULT_LOCATION = "classpath:io/distributedlock/backend/jdbc/schema-@@platform@@.sql";

	private JdbcLockSchema() {
	}

	/**
	 * Replace the placeholders of a script with the names of the tables.
	 * @param script the script, the default one or an application's own
	 * @param settings the settings that name the tables
	 * @return the script that can be run
	 */
	public static String withTableNames(String script, JdbcLockSettings settings) {
		return script.replace("@@table@@", settings.table()).replace("@@reader_table@@", settings.readerTable());
	}

	/**
	 * Return the script that creates the tables.
	 * @param platform the platform, as in the name of a script
	 * @param settings the settings that name the tables
	 * @return the script that can be run
	 */
	static String ddl(String platform, JdbcLockSettings settings) {
		return withTableNames(read("schema-" + platform + ".sql"), settings);
	}

	/**
	 * Read a resource beside this class.
	 * @param name its name
	 * @return its text
	 */
	static String read(String name) {
		try (InputStream resource = JdbcLockSchema.class.getResourceAsStream(name)) {
			if (resource == null) {
				throw new IllegalStateException("There is no resource '" + name + "' beside " + JdbcLockSchema.class);
			}
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
