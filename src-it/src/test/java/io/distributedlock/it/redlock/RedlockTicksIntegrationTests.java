package io.distributedlock.it.redlock;

import java.util.List;
import java.util.stream.Collectors;

import io.distributedlock.scheduling.ScheduledTickContract;

/**
 * Ticks of scheduled methods on three nodes.
 */
class RedlockTicksIntegrationTests extends ScheduledTickContract {

	@Override
	protected List<String> store() {
		return List.of("lock.backend=redlock", "lock.redlock.quarantine-on-empty=false", "lock.redlock.node-timeout=2s",
				"lock.redlock.nodes=" + RedlockServers.shared()
					.first(3)
					.endpoints()
					.stream()
					.map((node) -> "redis://" + node.name())
					.collect(Collectors.joining(",")));
	}

}
