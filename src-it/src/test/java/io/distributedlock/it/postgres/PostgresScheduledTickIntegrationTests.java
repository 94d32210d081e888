package io.distributedlock.it.postgres;

import java.util.List;

import io.distributedlock.scheduling.ScheduledTickContract;

class PostgresScheduledTickIntegrationTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("spring.datasource.url=" + PostgresServer.url(), "spring.datasource.username=postgres",
				"lock.backend=jdbc", "lock.jdbc.initialize-schema=always");
	}

}
