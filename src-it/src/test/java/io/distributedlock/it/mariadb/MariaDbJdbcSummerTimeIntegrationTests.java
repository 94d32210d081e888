package io.distributedlock.it.mariadb;

import java.time.Instant;

import javax.sql.DataSource;

import io.distributedlock.backend.jdbc.JdbcSummerTimeContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.PreparedSessions;

/**
 * The changes to and from summer time on MariaDB.
 */
class MariaDbJdbcSummerTimeIntegrationTests extends JdbcSummerTimeContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

	@Override
	protected DataSource sessionsAt(Instant now) {
		return new PreparedSessions(database().dataSource(),
				"SET time_zone = 'Europe/Berlin', timestamp = " + now.getEpochSecond(),
				"SET time_zone = DEFAULT, timestamp = DEFAULT");
	}

}
