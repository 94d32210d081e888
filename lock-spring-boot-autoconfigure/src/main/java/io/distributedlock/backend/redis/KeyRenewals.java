package io.distributedlock.backend.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renewals of one call. Leases on several keys are renewed as one lease for each key.
 *
 * @param asked the renewals of the call
 * @param each the renewals of each key, in the same order
 * @param severalKeys the leases on several keys, by their owners
 * @param deadline when the call has to be over
 */
record KeyRenewals(List<Renewal> asked, List<Renewal> each, Map<OwnerId, LeaseGrant> severalKeys,
		CallDeadline deadline) {

	static KeyRenewals of(List<Renewal> asked, CallDeadline deadline) {
		if (asked.stream().allMatch((renewal) -> renewal.grant().target().keys().size() == 1)) {
			return new KeyRenewals(asked, asked, Map.of(), deadline);
		}
		List<Renewal> each = new ArrayList<>();
		Map<OwnerId, LeaseGrant> severalKeys = new HashMap<>();
		for (Renewal renewal : asked) {
			LeaseGrant grant = renewal.grant();
			if (grant.target().keys().size() > 1) {
				severalKeys.put(grant.ownerId(), grant);
			}
			KeyLeases.of(grant).forEach((part) -> each.add(new Renewal(part, renewal.ttl())));
		}
		return new KeyRenewals(asked, each, severalKeys, deadline);
	}

	/**
	 * Return the lease that a lease on one key is a part of, or is.
	 */
	LeaseGrant whole(LeaseGrant part) {
		return this.severalKeys.getOrDefault(part.ownerId(), part);
	}

	/**
	 * Return the outcomes of the call. A lease is lost if one of its keys is.
	 * @param outcomes those of each key
	 */
	List<RenewalOutcome> outcomes(List<RenewalOutcome> outcomes) {
		if (this.severalKeys.isEmpty()) {
			return outcomes;
		}
		List<RenewalOutcome> whole = new ArrayList<>(this.asked.size());
		int from = 0;
		for (Renewal renewal : this.asked) {
			int to = from + renewal.grant().target().keys().size();
			whole.add(outcomes.subList(from, to).stream().reduce(KeyRenewals::worse).orElseThrow());
			from = to;
		}
		return whole;
	}

	private static RenewalOutcome worse(RenewalOutcome one, RenewalOutcome other) {
		if (one instanceof RenewalOutcome.Renewed first && other instanceof RenewalOutcome.Renewed second) {
			return (second.validUntil() - first.validUntil() < 0) ? second : first;
		}
		return (one instanceof RenewalOutcome.Lost || other instanceof RenewalOutcome.Renewed) ? one : other;
	}

}
