package io.distributedlock.it.mariadb;

import java.util.List;

import io.distributedlock.scheduling.ScheduledTickContract;

class MariaDbScheduledTickIntegrationTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("spring.datasource.url=" + MariaDbServer.url(), "spring.datasource.username=root",
				"lock.backend=jdbc", "lock.jdbc.initialize-schema=always");
	}

}
