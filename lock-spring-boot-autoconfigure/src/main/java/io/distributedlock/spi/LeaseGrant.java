package io.distributedlock.spi;

import java.util.List;

/**
 * A lease as the store granted it. Renewals do not change it.
 *
 * @param target what it covers
 * @param ownerId the owner id that the store compares on renew and release
 * @param tokens the token range of each key, in the order of the target's keys
 * @param validUntil the value of {@link LockClock#nanoTime()} at which its validity ends
 * unless it is renewed, see {@link LockClock#validUntil}
 * @param session what ends its validity besides, at a store with sessions
 * @since 0.1.0
 */
public record LeaseGrant(LockTarget target, OwnerId ownerId, List<TokenRange> tokens, long validUntil,
		SessionValidity session) {

	/**
	 * Create a grant that depends on no session.
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
	 * Return this grant with the validity that a renewal has given it.
	 * @param until when its validity ends
	 * @return the grant
	 */
	public LeaseGrant renewed(long until) {
		return new LeaseGrant(this.target, this.ownerId, this.tokens, until, this.session);
	}

	/**
	 * Return what is left of the validity as it was granted.
	 * @param now the value of {@link LockClock#nanoTime()}
	 * @return the nanoseconds that are left, zero or less where none are
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
