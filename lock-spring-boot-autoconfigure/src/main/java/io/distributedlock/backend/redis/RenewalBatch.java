package io.distributedlock.backend.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.spi.Renewal;

/**
 * Renewals that one script performs.
 *
 * @param renewals the renewals
 * @param acks the wait for replicas that follows, or {@code null}
 */
record RenewalBatch(List<Renewal> renewals, ScriptCall.@Nullable Acks acks) {

	/**
	 * Return whether the leases are those of members of groups. All are, or none is.
	 */
	boolean isOfGroups() {
		return this.renewals.get(0).grant().target().isGroup();
	}

}
