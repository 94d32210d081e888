package io.distributedlock.fencing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The table of a {@link JdbcFencingGuard}.
 *
 * @param name its name, with its schema if needed
 * @since 0.1.0
 */
public record FenceTable(String name) {

	/**
	 * The default name of the table.
	 */
	public static final String DEFAULT_NAME = "distributed_lock_fence";

	/**
	 * The location of the scripts that create the table, with the placeholder for the
	 * platform that Spring Boot replaces. In the scripts {@code @@table@@} stands for the
	 * table.
	 */
	public static final String SCHEMA_LOCATION = "classpath:io/distributedlock/fencing/schema-@@platform@@.sql";

	private static final Pattern NAME = Pattern
		.compile("[\\p{L}_][\\p{L}\\p{N}_$]*(\\.[\\p{L}_][\\p{L}\\p{N}_$]*){0,2}");

	/**
	 * Name a table.
	 * @param name its name, which is used in statements unchanged
	 * @throws IllegalArgumentException if it can't be the name of a table
	 */
	public FenceTable {
		Objects.requireNonNull(name, "name");
		if (!NAME.matcher(name).matches()) {
			throw new IllegalArgumentException("'" + name + "' can't be the name of a table of fencing tokens");
		}
	}

	/**
	 * Return the script that creates the table.
	 * @param platform the platform, as in the name of a script: {@code h2},
	 * {@code mariadb}, {@code mysql}, {@code oracle}, {@code portable},
	 * {@code postgresql}, {@code sqlserver}
	 * @return the executable script
	 * @throws IllegalArgumentException if there is no script for the platform
	 */
	public String schema(String platform) {
		try (InputStream script = FenceTable.class.getResourceAsStream("schema-" + platform + ".sql")) {
			if (script == null) {
				throw new IllegalArgumentException(
						"There is no script that creates a table of fencing tokens on '" + platform + "'");
			}
			return named(new String(script.readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Replace the placeholder of the table in a script or statement.
	 * @param sql the text with {@code @@table@@}
	 * @return the executable text
	 */
	public String named(String sql) {
		return sql.replace("@@table@@", this.name);
	}

}
