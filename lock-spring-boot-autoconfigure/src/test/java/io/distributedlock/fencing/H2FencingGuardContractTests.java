package io.distributedlock.fencing;

import javax.sql.DataSource;

class H2FencingGuardContractTests extends JdbcFencingGuardContract {

	@Override
	protected DataSource dataSource() {
		return Databases.h2();
	}

	@Override
	protected String platform() {
		return "h2";
	}

}
