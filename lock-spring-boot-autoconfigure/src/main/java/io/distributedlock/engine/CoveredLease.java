package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockKeys;

/**
 * A lease as a nested call sees it that has asked for some of its keys. It ends with the
 * whole lease, whatever ends that.
 *
 * @param whole the lease on all keys
 * @param keys the keys of the nested call
 */
record CoveredLease(Lease whole, List<String> keys) implements Lease {

	@Override
	public String key() {
		if (this.keys.size() > 1) {
			throw new IllegalStateException(LockKeys.printable("This lease has several keys: " + this.keys));
		}
		return this.keys.get(0);
	}

	@Override
	public long fencingToken() {
		return fencingToken(key());
	}

	@Override
	public long fencingToken(String key) {
		if (!this.keys.contains(key)) {
			throw new IllegalArgumentException(
					LockKeys.printable("This lease is on " + this.keys + ", not on '" + key + "'"));
		}
		return this.whole.fencingToken(key);
	}

	@Override
	public boolean isHeld() {
		return this.whole.isHeld();
	}

	@Override
	public Duration remaining() {
		return this.whole.remaining();
	}

	@Override
	public void verify() {
		this.whole.verify();
	}

	@Override
	public void extend(Duration atLeast) {
		this.whole.extend(atLeast);
	}

	@Override
	public void onLost(Consumer<? super Lease> listener) {
		this.whole.onLost((lost) -> listener.accept(this));
	}

	@Override
	public boolean release() {
		return this.whole.release();
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return this.whole.releaseAsync();
	}

	@Override
	public void close() {
		this.whole.close();
	}

	@Override
	public String toString() {
		return LockKeys.printable("Lease" + this.keys + " of " + this.whole);
	}

}
