package io.distributedlock.it.mariadb;

import java.util.List;

import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.it.jdbc.JdbcRightsContract;

/**
 * The rights that a user of MariaDB needs.
 */
class MariaDbRightsIntegrationTests extends JdbcRightsContract {

	@Override
	protected JdbcTestDatabase database() {
		return MariaDbServer.database();
	}

	@Override
	protected String url() {
		return MariaDbServer.url() + "?user=locks&password=secret";
	}

	@Override
	protected String grantee() {
		return "'locks'@'%'";
	}

	@Override
	protected String named() {
		return "locks";
	}

	@Override
	protected List<String> dropUser() {
		return List.of("DROP USER 'locks'@'%'");
	}

	@Override
	protected String denied(String right, String table) {
		return right + " command denied to user 'locks'@'localhost' for ";
	}

	/**
	 * MariaDB does not report whether a table exists on which the user has no rights.
	 */
	@Override
	protected String notCreated() {
		return "The database does not let the user 'locks' take a lock, which needs SELECT, INSERT and UPDATE on the"
				+ " table 'made_lock': ";
	}

}
