package io.distributedlock.it.integration;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.springframework.context.ConfigurableApplicationContext;

import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.integration.LeaseLockRegistry;
import io.distributedlock.integration.LockRegistryContract;
import io.distributedlock.integration.RegistryClient;
import io.distributedlock.it.stores.SharedStore;

/**
 * The contract of the auto-configured registry.
 */
abstract class StoreLockRegistryContract extends LockRegistryContract {

	private final String prefix = "lock.key-prefix=" + UUID.randomUUID() + ":";

	abstract SharedStore store();

	@Override
	protected RegistryClient newClient() {
		List<String> properties = new ArrayList<>(store().properties());
		properties.add(this.prefix);
		// Many of the tests try only once, and a machine may stand still for a while.
		properties.add("lock.call-timeout=10s");
		ConfigurableApplicationContext application = LockApplication.start(properties);
		return new RegistryClient(application.getBean(LeaseLockRegistry.class), application.getBean(LockTemplate.class),
				application.getBean(Locks.class), application::close);
	}

}
