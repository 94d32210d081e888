package io.distributedlock.backend.redis;

import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;

/**
 * Divides what belongs to several keys into parts with one key each. All have the same
 * owner id.
 */
final class KeyLeases {

	private KeyLeases() {
	}

	/**
	 * Return a lease for each key of a lease.
	 */
	static List<LeaseGrant> of(LeaseGrant grant) {
		LockTarget target = grant.target();
		return (target.keys().size() == 1) ? List.of(grant)
				: IntStream.range(0, target.keys().size())
					.mapToObj((i) -> new LeaseGrant(LockTarget.of(target.keys().get(i), target.mode()), grant.ownerId(),
							List.of(grant.tokens().get(i)), grant.validUntil(), grant.session()))
					.toList();
	}

	/**
	 * Return an attempt for each key of an attempt.
	 */
	static List<Orphan> of(Orphan orphan) {
		LockTarget target = orphan.target();
		return target.keys()
			.stream()
			.map((key) -> new Orphan(LockTarget.of(key, target.mode()), orphan.ownerId()))
			.toList();
	}

}
