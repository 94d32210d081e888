package io.distributedlock.epoch;

import java.util.List;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.TokenRange;

/**
 * A number set by the administrator, in bits 56 to 62 of every fencing token. All tokens
 * of one epoch are greater than those of earlier epochs, regardless of the stores they
 * come from. The stores only know their own numbers; tokens are translated on their way.
 *
 * @param value 0 to {@value #GREATEST}; 0 leaves tokens unchanged
 * @since 0.1.0
 */
public record TokenEpoch(int value) {

	/**
	 * The greatest epoch.
	 */
	public static final int GREATEST = 127;

	// JDBC, Redis and Redlock count microseconds, which reach 2^53 in the year 2255.
	// ZooKeeper and etcd count transactions times 1,024, so this leaves room for 2^46 of
	// them.
	private static final int BITS_OF_STORES = 56;

	private static final long LIMIT = 1L << BITS_OF_STORES;

	public TokenEpoch {
		if (value < 0 || value > GREATEST) {
			throw new IllegalArgumentException("A token epoch is between 0 and " + GREATEST + ", not " + value);
		}
	}

	/**
	 * Return whether this epoch can be added to the tokens of a grant.
	 */
	boolean fits(LeaseGrant grant) {
		return this.value == 0 || grant.tokens().stream().allMatch(this::fits);
	}

	private boolean fits(TokenRange tokens) {
		return tokens.first() >= 0 && tokens.first() < LIMIT && tokens.last() < LIMIT;
	}

	/**
	 * Return a grant of the store with the tokens for the application.
	 */
	LeaseGrant toApplication(LeaseGrant grant) {
		return moved(grant, offset());
	}

	/**
	 * Return a grant of the application with the tokens of the store.
	 */
	LeaseGrant toStore(LeaseGrant grant) {
		return moved(grant, -offset());
	}

	/**
	 * Return the store's information about a lock with the token for the application, as
	 * a holder of this epoch has it.
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
