package io.distributedlock.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.LockTarget;

/**
 * A request with all options decided: defaults are applied, and options that the backend
 * can't serve have been refused.
 *
 * @param lockRequest the request of the caller
 * @param target what is requested: the keys of the caller, or one of them
 */
record ResolvedRequest(LockRequest lockRequest, LockTarget target, Duration ttl, Duration waitTime, Duration minHold,
		@Nullable Duration maxHold, Duration callTimeout) {

	/**
	 * The longest time that is counted in nanoseconds; represents "without limit".
	 */
	static final Duration WITHOUT_LIMIT = Duration.ofNanos(Long.MAX_VALUE / 4);

	static ResolvedRequest resolve(LockRequest request, Duration defaultWaitTime, EngineSettings settings,
			String backend, BackendTraits traits) {
		refuseUnsupported(request, backend, traits);
		Duration maxHold = (request.getMaxHold() != null) ? request.getMaxHold() : settings.maxHold();
		if (!request.isRenewed() && request.getMaxHold() != null) {
			throw new InvalidLockRequestException(
					"The lock on " + request.getKeys() + " is not renewed, so a maxHold has no effect");
		}
		Duration minHold = (request.getMinHold() != null) ? request.getMinHold() : Duration.ZERO;
		if (request.getMaxHold() != null && minHold.compareTo(request.getMaxHold()) > 0) {
			throw new InvalidLockRequestException("The lock on " + request.getKeys() + " has a minHold of " + minHold
					+ " that is longer than its maxHold of " + request.getMaxHold());
		}
		Duration ttl = (request.getTtl() != null) ? request.getTtl() : settings.ttl();
		refuseOutOfRange(request, ttl, backend, traits);
		Duration waitTime = (request.getWaitTime() != null) ? request.getWaitTime() : defaultWaitTime;
		Duration countedWaitTime = (waitTime.compareTo(WITHOUT_LIMIT) < 0) ? waitTime : WITHOUT_LIMIT;
		return new ResolvedRequest(request, new LockTarget(request.getKeys(), request.getMode()), ttl, countedWaitTime,
				minHold, (request.isRenewed() ? maxHold : null), settings.callTimeout(ttl));
	}

	boolean hasOneKey() {
		return this.target.keys().size() == 1;
	}

	/**
	 * Return the request for one of several keys. A minimum hold counts from the last
	 * key, so a key that goes back before has none.
	 * @param key the key
	 * @param left the time that is left to wait for it
	 */
	ResolvedRequest part(String key, Duration left) {
		return new ResolvedRequest(this.lockRequest, LockTarget.of(key, mode()), this.ttl, left, Duration.ZERO,
				this.maxHold, this.callTimeout);
	}

	/**
	 * Return whether this is a part of the caller's request. Only the lease on all of its
	 * keys is counted and reported.
	 */
	boolean isPart() {
		return this.target.keys().size() < this.lockRequest.getKeys().size();
	}

	/**
	 * Return the tick whose single run is requested, if any. It belongs to the last of
	 * several keys, so that nothing can fail after the store has noted it.
	 */
	@Nullable Instant tick() {
		Instant tick = this.lockRequest.getTick();
		if (tick == null || !isPart()) {
			return tick;
		}
		List<String> keys = this.lockRequest.getKeys();
		return key().equals(keys.get(keys.size() - 1)) ? tick : null;
	}

	private static void refuseUnsupported(LockRequest request, String backend, BackendTraits traits) {
		if (request.getMode() == LockMode.SHARED && !traits.sharedMode()) {
			throw unsupported(request, backend, "the mode SHARED");
		}
		Integer permits = request.getPermits();
		if (permits != null && permits > traits.maxPermits()) {
			throw unsupported(request, backend,
					(traits.maxPermits() > 0) ? permits + " permits, more than " + traits.maxPermits() : "permits");
		}
		if (request.getTick() != null && !traits.ticks()) {
			throw unsupported(request, backend, "ticks");
		}
		if (request.isFenced() && !traits.fencing()) {
			throw unsupported(request, backend, "fencing tokens");
		}
	}

	/**
	 * Check the TTL. A minimum hold has no bound, because renewals maintain it and, after
	 * the release, the store does.
	 */
	private static void refuseOutOfRange(LockRequest request, Duration ttl, String backend, BackendTraits traits) {
		Duration least = traits.minTtl();
		Duration most = traits.maxTtl();
		if (ttl.compareTo(least) < 0 || (most != null && ttl.compareTo(most) > 0)) {
			throw new InvalidLockRequestException(
					"The lock on " + request.getKeys() + " has a ttl of " + ttl + ", but the backend '" + backend
							+ "' takes " + least + ((most != null) ? " to " + most : " and more"));
		}
	}

	private static InvalidLockRequestException unsupported(LockRequest request, String backend, String what) {
		return new InvalidLockRequestException("The lock on " + request.getKeys() + " asks for " + what
				+ ", which the backend '" + backend + "' does not support");
	}

	String key() {
		return this.target.key();
	}

	LockMode mode() {
		return this.target.mode();
	}

	/**
	 * Return how many leases may share the key; zero unless the mode is
	 * {@link LockMode#PERMITS}.
	 */
	int permits() {
		Integer permits = this.lockRequest.getPermits();
		return (permits != null) ? permits : 0;
	}

	boolean isOneAttempt() {
		return this.waitTime.isZero();
	}

	/**
	 * Return whether the store can grant this request again after a grant that could not
	 * be used. A single attempt is not repeated, and a tick is used up by its first
	 * grant.
	 */
	boolean canBeGrantedAgain() {
		return !isOneAttempt() && tick() == null;
	}

	/**
	 * Return whether a grant that another holder in this JVM has used, or is using, can
	 * serve this request. Ticks and permits are granted by the store alone, and a lease
	 * without renewal needs its whole TTL.
	 */
	boolean canTakeOver() {
		return mode() != LockMode.PERMITS && tick() == null && this.lockRequest.isRenewed();
	}

	/**
	 * Return how long a caller waits for an answer that is under way, after its wait time
	 * if it has one. This is a little longer than the call timeout, so that a store that
	 * observes its own timeout can report the reason.
	 */
	Duration overtime() {
		return Duration.ofNanos(this.callTimeout.toNanos() + this.callTimeout.toNanos() / 20);
	}

	/**
	 * Return the time after which a call counts as never answered: twice the call
	 * timeout, for stores that exceed it.
	 */
	Duration silenceLimit() {
		return this.callTimeout.plus(this.callTimeout);
	}

	/**
	 * Return the time until the next check of a waiter: its remaining time, but at most
	 * the silence limit, in case the store does not answer at all.
	 */
	Duration nextLook(Duration left) {
		return (left.compareTo(silenceLimit()) < 0) ? left : silenceLimit();
	}

}
