package io.distributedlock.fencing;

import javax.sql.DataSource;

class HsqldbFencingGuardContractTests extends JdbcFencingGuardContract {

	@Override
	protected DataSource dataSource() {
		return Databases.hsqldb();
	}

	@Override
	protected String platform() {
		return "portable";
	}

}
