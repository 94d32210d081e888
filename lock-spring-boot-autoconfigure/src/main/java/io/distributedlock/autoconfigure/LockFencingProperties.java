package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

import io.distributedlock.fencing.FenceTable;

/**
 * Properties of the guard that refuses stale fencing tokens in a database.
 *
 * @param initializeSchema When to create the table of fencing tokens.
 * @param platform Platform in the name of the SQL file that creates the table.
 * Auto-detected by default.
 * @param table Name of the table of fencing tokens, with its schema if needed.
 */
@ConfigurationProperties("lock.fencing")
record LockFencingProperties(@DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
		@Nullable String platform, @DefaultValue(FenceTable.DEFAULT_NAME) String table) {

	FenceTable toTable() {
		try {
			return new FenceTable(this.table);
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException(ex.getMessage() + " (lock.fencing.table).",
					"Change the property 'lock.fencing.table'.", ex);
		}
	}

}
