package io.distributedlock.it.handover;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

/**
 * Hand-over on the local store, where only a forced release can delete a lock.
 */
class LocalHandOverIntegrationTests extends HandOverContract {

	private @Nullable LocalStore store;

	@Override
	protected LockBackend newClient(LockClock clock) {
		if (this.store == null) {
			this.store = new LocalStore(clock);
		}
		return new LocalLockBackend(this.store, "test", clock);
	}

	@Override
	protected boolean canDelete() {
		return false;
	}

	@Override
	protected void delete(String key) {
		throw new UnsupportedOperationException("canDelete() promises what delete() does not do");
	}

	@Override
	protected long requests() {
		return 0;
	}

}
