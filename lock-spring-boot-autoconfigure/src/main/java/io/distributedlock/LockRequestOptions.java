package io.distributedlock;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link LockRequest}, that is, everything except its keys.
 */
record LockRequestOptions(@Nullable Duration ttl, @Nullable Duration waitTime, @Nullable Duration minHold,
		@Nullable Duration maxHold, boolean renew, boolean fenced, LockMode mode, @Nullable Integer permits,
		@Nullable String name, @Nullable String backend, @Nullable Instant tick) {

	static final LockRequestOptions NONE = new LockRequestOptions(null, null, null, null, true, false,
			LockMode.EXCLUSIVE, null, null, null, null);

	LockRequestOptions withTtl(Duration changed) {
		return new LockRequestOptions(changed, this.waitTime, this.minHold, this.maxHold, this.renew, this.fenced,
				this.mode, this.permits, this.name, this.backend, this.tick);
	}

	LockRequestOptions withWaitTime(Duration changed) {
		return new LockRequestOptions(this.ttl, changed, this.minHold, this.maxHold, this.renew, this.fenced, this.mode,
				this.permits, this.name, this.backend, this.tick);
	}

	LockRequestOptions withMinHold(Duration changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, changed, this.maxHold, this.renew, this.fenced,
				this.mode, this.permits, this.name, this.backend, this.tick);
	}

	LockRequestOptions withMaxHold(Duration changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, changed, this.renew, this.fenced,
				this.mode, this.permits, this.name, this.backend, this.tick);
	}

	LockRequestOptions withRenew(boolean changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, this.maxHold, changed, this.fenced,
				this.mode, this.permits, this.name, this.backend, this.tick);
	}

	LockRequestOptions withFenced(boolean changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, this.maxHold, this.renew, changed,
				this.mode, this.permits, this.name, this.backend, this.tick);
	}

	LockRequestOptions withShared() {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, this.maxHold, this.renew, this.fenced,
				LockMode.SHARED, null, this.name, this.backend, this.tick);
	}

	LockRequestOptions withPermits(int changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, this.maxHold, this.renew, this.fenced,
				LockMode.PERMITS, changed, this.name, this.backend, this.tick);
	}

	LockRequestOptions withName(String changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, this.maxHold, this.renew, this.fenced,
				this.mode, this.permits, changed, this.backend, this.tick);
	}

	LockRequestOptions withBackend(String changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, this.maxHold, this.renew, this.fenced,
				this.mode, this.permits, this.name, changed, this.tick);
	}

	LockRequestOptions withTick(Instant changed) {
		return new LockRequestOptions(this.ttl, this.waitTime, this.minHold, this.maxHold, this.renew, this.fenced,
				this.mode, this.permits, this.name, this.backend, changed);
	}

}
