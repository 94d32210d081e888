package io.distributedlock.epoch;

import java.util.List;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.TokenRange;

/**
 * An operator's number in bits 56 to 62 of every fencing token, so that all tokens of one
 * epoch are greater than those of the epochs before, whatever stores they come from. The
 * stores know their own numbers only; tokens are translated on the way.
 *
 * @param value 0 to {@value #GREATEST}; 0 changes no token
 * @since 0.1.0
 */
public record TokenEpoch(int value) {

	/**
	 * The greatest epoch.
	 */
	public static final int GREATEST = 127;

	// JDBC, Redis and Redlock count microseconds, which reach 2^53 in the year 2255, and
	// ZooKeeper and etcd transactions times 1,024: 2^46 of them.
	private static final int BITS_OF_STORES = 56;

	private static final long LIMIT = 1L << BITS_OF_STORES;

	public TokenEpoch {
		if (value < 0 || value > GREATEST) {
			throw new IllegalArgumentException("A token epoch is between 0 and " + GREATEST + ", not " + value);
		}
	}

	/**
	 * Return whether the tokens of a grant leave room for this epoch.
	 */
	boolean fits(LeaseGrant grant) {
		return this.value == 0 || grant.tokens().stream().allMatch(this::fits);
	}

	private boolean fits(TokenRange tokens) {
		return tokens.first() >= 0 && tokens.first() < LIMIT && tokens.last() < LIMIT;
	}

	/**
	 * Return a grant of the store with the tokens that the application gets.
	 */
	LeaseGrant toApplication(LeaseGrant grant) {
		return moved(grant, offset());
	}

	/**
	 * Return a grant of the application with the tokens that the store knows.
	 */
	LeaseGrant toStore(LeaseGrant grant) {
		return moved(grant, -offset());
	}

	/**
	 * Return what the store knows of a lock with the token that a holder of this epoch
	 * has.
	 */
	LockInfo toApplication(LockInfo info) {
		long token = info.fencingToken();
		if (this.value == 0 || token < 0 || token >= LIMIT) {
			return info;
		}
		return new LockInfo(info.key(), info.instance(), info.mode(), token + offset(), info.heldFor(),
				info.remaining());
	}

	private long offset() {
		return (long) this.value << BITS_OF_STORES;
	}

	private static LeaseGrant moved(LeaseGrant grant, long by) {
		if (by == 0) {
			return grant;
		}
		List<TokenRange> tokens = grant.tokens()
			.stream()
			.map((range) -> new TokenRange(range.first() + by, range.count()))
			.toList();
		return new LeaseGrant(grant.target(), grant.ownerId(), tokens, grant.validUntil(), grant.session());
	}

}
