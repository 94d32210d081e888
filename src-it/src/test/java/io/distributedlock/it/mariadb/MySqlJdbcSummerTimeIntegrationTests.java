package io.distributedlock.it.mariadb;

import java.time.Instant;

import javax.sql.DataSource;

import io.distributedlock.backend.jdbc.JdbcSummerTimeContract;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.PreparedSessions;

/**
 * The changes to and from summer time on MariaDB through MySQL's driver and statements.
 */
class MySqlJdbcSummerTimeIntegrationTests extends JdbcSummerTimeContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.mysql();
	}

	@Override
	protected DataSource sessionsAt(Instant now) {
		return new PreparedSessions(database().dataSource(),
				"SET time_zone = 'Europe/Berlin', timestamp = " + now.getEpochSecond(),
				"SET time_zone = DEFAULT, timestamp = DEFAULT");
	}

}
