package io.distributedlock.backend.local;

import java.time.Duration;

import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.SessionValidity;
import io.distributedlock.spi.TokenRange;

/**
 * A lease at the store: that of an exclusive holder, or of one member of a group. After a
 * release with a cooldown it only keeps its place.
 * <p>
 * Not thread-safe: its {@link LocalStore} guards all of it, except for the validity.
 */
final class LocalLease {

	private final OwnerId ownerId;

	private final LocalStoreConnection client;

	private final TokenRange tokens;

	private final long grantedAt;

	private long until;

	private boolean released;

	// Written under the guard of the store, read by the holder without it.
	private volatile boolean expired;

	/**
	 * Create a lease.
	 * @param ownerId the owner id of the attempt
	 * @param client the client that made it
	 * @param tokens the tokens
	 * @param now the monotonic time
	 * @param until when it expires
	 */
	LocalLease(OwnerId ownerId, LocalStoreConnection client, TokenRange tokens, long now, long until) {
		this.ownerId = ownerId;
		this.client = client;
		this.tokens = tokens;
		this.grantedAt = now;
		this.until = until;
	}

	OwnerId ownerId() {
		return this.ownerId;
	}

	LocalStoreConnection client() {
		return this.client;
	}

	TokenRange tokens() {
		return this.tokens;
	}

	long grantedAt() {
		return this.grantedAt;
	}

	/**
	 * Return the monotonic time at which this lease expires, or its cooldown ends.
	 */
	long until() {
		return this.until;
	}

	/**
	 * Return whether this lease takes a place: it has not expired, or its cooldown has
	 * not ended.
	 */
	boolean counts(long now) {
		return this.until - now > 0;
	}

	boolean isHeld(long now) {
		return counts(now) && !this.released;
	}

	Duration rest(long now) {
		return Duration.ofNanos(this.until - now);
	}

	void lengthen(long end) {
		if (end - this.until > 0) {
			this.until = end;
		}
	}

	/**
	 * End this lease, and begin its cooldown.
	 * @param end when the cooldown ends
	 */
	void release(long end) {
		this.released = true;
		this.until = end;
	}

	/**
	 * Let this lease expire before its time. The holder can find the loss before another
	 * client can take the lock, as with an expiry by time.
	 */
	void expire() {
		this.expired = true;
	}

	/**
	 * Return the validity that a forced expiry ends early. The engine finds it where it
	 * finds the end of a session with other stores, so a test runs the complete path by
	 * which a holder learns of its loss.
	 */
	SessionValidity validity() {
		return (now) -> this.expired ? 0 : Long.MAX_VALUE;
	}

}
