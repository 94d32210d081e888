package io.distributedlock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

import io.distributedlock.backend.jdbc.JdbcLockSchema;
import io.distributedlock.backend.jdbc.JdbcLockSettings;
import io.distributedlock.backend.jdbc.JdbcLockSettings.Notifications;

/**
 * Properties of the locks in a database.
 *
 * @param initializeSchema When to create the tables.
 * @param schema Path to the SQL file that creates the tables, which has placeholders for
 * the platform and the names of the tables.
 * @param platform Platform in the path of the SQL file, and dialect of the SQL
 * statements. Auto-detected by default.
 * @param table Name of the table of locks, with its schema if needed.
 * @param readerTable Name of the table of shared leases. By default, the name of the
 * table of locks with the suffix "_reader".
 * @param continueOnError Whether to continue if a statement of the SQL file fails.
 * Startup still fails if the tables are missing afterwards.
 * @param notifications Whether waiters are notified of releases, if the database supports
 * it, through a further connection that is kept while a caller waits. Otherwise they
 * poll.
 */
@ConfigurationProperties("lock.jdbc")
record LockJdbcProperties(@DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
		@DefaultValue(JdbcLockSchema.DEFAULT_LOCATION) String schema, @Nullable String platform,
		@DefaultValue(JdbcLockSettings.DEFAULT_TABLE) String table, @Nullable String readerTable,
		@DefaultValue("true") boolean continueOnError, @DefaultValue("auto") Notifications notifications) {

	JdbcLockSettings toSettings(LockProperties properties, InstanceId instanceId) {
		try {
			return new JdbcLockSettings(properties.keyPrefix(), instanceId.value(), this.table, readers(),
					properties.boundedCallTimeout(), properties.tokenRetention(), this.platform, this.notifications);
		}
		catch (IllegalArgumentException ex) {
			throw new LockStartException(String.valueOf(ex.getMessage()), "Change the property that it names.", ex);
		}
	}

	private String readers() {
		return (this.readerTable != null) ? this.readerTable : this.table + JdbcLockSettings.READER_SUFFIX;
	}

}
