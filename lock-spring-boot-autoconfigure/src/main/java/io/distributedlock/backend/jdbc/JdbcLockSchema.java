package io.distributedlock.backend.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The scripts that create the tables of the locks, one for each platform:
 * {@code schema-<platform>.sql} beside this class. They name the tables by placeholders.
 *
 * @since 0.1.0
 */
public final class JdbcLockSchema {

	/**
	 * Where the scripts are, with the placeholder for the platform that Spring Boot
	 * replaces.
	 */
	public static final String DEFAULT_LOCATION = "classpath:io/distributedlock/backend/jdbc/schema-@@platform@@.sql";

	private JdbcLockSchema() {
	}

	/**
	 * Put the names of the tables into a script.
	 * @param script the script, ours or an application's own
	 * @param settings the settings that name the tables
	 * @return the script that can be run
	 */
	public static String withTableNames(String script, JdbcLockSettings settings) {
		return script.replace("@@table@@", settings.table()).replace("@@reader_table@@", settings.readerTable());
	}

	/**
	 * Return what creates the tables.
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
