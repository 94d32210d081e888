package io.distributedlock.integration;

import java.util.List;

import org.junit.jupiter.api.AfterAll;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.engine.DefaultLocks;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseRetention;

/**
 * The contract of the registry on the local store.
 */
class LocalLockRegistryContractTests extends LockRegistryContract {

	private final SystemLockClock clock = new SystemLockClock();

	private final LocalStore store = new LocalStore(this.clock);

	@Override
	protected RegistryClient newClient() {
		LockEngine engine = new LockEngine(new LocalLockBackend(this.store, "test", this.clock),
				EngineSettings.DEFAULTS, this.clock, List.of(), List.of());
		DefaultScopes scopes = new DefaultScopes(engine, LeaseRetention.NONE);
		return new RegistryClient(new LeaseLockRegistry(scopes, EngineSettings.DEFAULTS.ttl()),
				new DefaultLockTemplate(engine, scopes), new DefaultLocks(engine), engine::stop);
	}

	@AfterAll
	void closeClock() {
		this.clock.close();
	}

}
