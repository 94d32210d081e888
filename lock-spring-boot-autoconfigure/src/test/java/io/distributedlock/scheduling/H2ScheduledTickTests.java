package io.distributedlock.scheduling;

import java.util.List;

class H2ScheduledTickTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("spring.datasource.url=jdbc:h2:mem:ticks;DB_CLOSE_DELAY=-1", "spring.datasource.username=sa",
				"lock.backend=jdbc", "lock.jdbc.initialize-schema=always");
	}

}
