package io.distributedlock.backend.local;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Contends for a lock of a {@link LocalStore} by repeated attempts. The store wakes it
 * after releases.
 */
final class LocalContender implements Contender {

	private final LocalStoreConnection client;

	private final LocalStore store;

	private final LockTarget target;

	private final Runnable wakeUp;

	// Written before the store forgets the contender, and read by attempts under the
	// store's guard. A late attempt therefore never registers the contender again.
	private volatile boolean withdrawn;

	LocalContender(LocalStoreConnection client, LocalStore store, LockTarget target, Runnable wakeUp) {
		this.client = client;
		this.store = store;
		this.target = target;
		this.wakeUp = wakeUp;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		return CompletableFuture.completedFuture(this.client.isReachable() ? this.store.attempt(this, request)
				: new AttemptOutcome.Unavailable(LocalStoreConnection.unreachable(), false));
	}

	@Override
	public void withdraw() {
		this.withdrawn = true;
		this.store.withdraw(this);
	}

	LocalStoreConnection client() {
		return this.client;
	}

	LockTarget target() {
		return this.target;
	}

	Runnable wakeUp() {
		return this.wakeUp;
	}

	boolean isWithdrawn() {
		return this.withdrawn;
	}

}
