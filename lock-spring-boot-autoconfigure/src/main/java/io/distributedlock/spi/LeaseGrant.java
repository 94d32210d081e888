package io.distributedlock.spi;

import java.util.List;

/**
 * A lease as the store granted it. Renewals leave a grant unchanged.
 *
 * @param target what it covers
 * @param ownerId the owner id that the store compares on renewal and release
 * @param tokens the token range of each key, in the order of the target's keys
 * @param validUntil the value of {@link LockClock#nanoTime()} at which its validity ends
 * unless it is renewed, see {@link LockClock#validUntil}
 * @param session at a store with sessions, the session that also bounds its validity
 * @since 0.1.0
 */
public record LeaseGrant(LockTarget target, OwnerId ownerId, List<TokenRange> tokens, long validUntil,
		SessionValidity session) {

	/**
	 * Create a grant that does not depend on a session.
	 * @param target what it covers
	 * @param ownerId the owner id
	 * @param tokens the token range of each key
	 * @param validUntil when its validity ends
	 */
	public LeaseGrant(LockTarget target, OwnerId ownerId, List<TokenRange> tokens, long validUntil) {
		this(target, ownerId, tokens, validUntil, SessionValidity.WITHOUT_SESSION);
	}

	/**
	 * Create a grant of one key.
	 * @param target the key
	 * @param ownerId the owner id
	 * @param tokens the token range
	 * @param validUntil when its validity ends
	 */
	public LeaseGrant(LockTarget target, OwnerId ownerId, TokenRange tokens, long validUntil) {
		this(target, ownerId, List.of(tokens), validUntil);
	}

	/**
	 * Return this grant with the validity of a renewal.
	 * @param until when its validity ends
	 * @return the grant
	 */
	public LeaseGrant renewed(long until) {
		return new LeaseGrant(this.target, this.ownerId, this.tokens, until, this.session);
	}

	/**
	 * Return the remaining time of the validity as it was granted.
	 * @param now the value of {@link LockClock#nanoTime()}
	 * @return the remaining nanoseconds, zero or less if the validity has ended
	 */
	public long nanosLeft(long now) {
		return Math.min(this.validUntil - now, this.session.nanosLeft(now));
	}

	/**
	 * Return the token range of the only or first key.
	 * @return the token range
	 */
	public TokenRange token() {
		return this.tokens.get(0);
	}

}
