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
 * @param table Name of the table of locks, with its schema where it needs one.
 * @param readerTable Name of the table of shared leases. By default that of the table of
 * locks with "_reader" at the end.
 * @param continueOnError Whether to go on when a statement of the SQL file fails. The
 * start fails all the same where the tables are missing then.
 * @param notifications Whether waiters are told of releases, where the database can, by a
 * further connection that is kept while somebody waits. Otherwise they poll.
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
