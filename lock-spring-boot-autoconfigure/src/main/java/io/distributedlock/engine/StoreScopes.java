package io.distributedlock.engine;

import java.util.List;
import java.util.Optional;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.Scopes;

/**
 * The scopes of one of several stores. Requests that do not name a store go to this one,
 * and requests that name another are refused. A thread has the same scopes, no matter
 * through which instance they were opened.
 *
 * @param store the name of the store
 * @param scopes the scopes of all stores
 * @since 0.1.0
 */
public record StoreScopes(String store, Scopes scopes) implements Scopes {

	@Override
	public Scope open(LockRequest request) {
		return this.scopes.open(LockEngines.at(this.store, request));
	}

	@Override
	public Optional<Scope> tryOpen(LockRequest request) {
		return this.scopes.tryOpen(LockEngines.at(this.store, request));
	}

	@Override
	public String backendOf(LockRequest request) {
		return this.scopes.backendOf(LockEngines.at(this.store, request));
	}

	@Override
	public List<Lease> leasesThatMatter() {
		return this.scopes.leasesThatMatter();
	}

	@Override
	public boolean areStopped() {
		return this.scopes.areStopped();
	}

}
