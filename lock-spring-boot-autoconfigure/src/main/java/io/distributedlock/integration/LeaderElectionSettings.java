package io.distributedlock.integration;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The roles for which an application is a candidate, and the times of their leaders.
 *
 * @param roles the roles, each of which has one leader among all applications that share
 * the store
 * @param heartBeat the time within which a leader whose lock was taken away is revoked,
 * and for which the next leader waits; greater than zero
 * @param ttl the time within which a crashed leader is followed, greater than the
 * heartbeat
 * @param backend the store of the leaders' locks, or {@code null} for the default one
 * @since 0.1.0
 */
public record LeaderElectionSettings(Set<String> roles, Duration heartBeat, Duration ttl, @Nullable String backend) {

	/**
	 * Create settings.
	 */
	public LeaderElectionSettings {
		roles = Collections.unmodifiableSet(new LinkedHashSet<>(roles));
		if (heartBeat.isNegative() || heartBeat.isZero()) {
			throw new IllegalArgumentException("The heartbeat of leaders must be more than zero: " + heartBeat);
		}
		if (ttl.compareTo(heartBeat) <= 0) {
			throw new IllegalArgumentException(
					"The ttl of leaders must be more than their heartbeat: " + ttl + " and " + heartBeat);
		}
	}

	/**
	 * Return the TTL of the leader's lease. It is one heartbeat shorter than the time
	 * within which a crashed leader is followed, because the next leader waits for one.
	 */
	Duration leaseTtl() {
		return this.ttl.minus(this.heartBeat);
	}

	/**
	 * Return the interval at which a leader asks the store whether its lease stands.
	 */
	Duration interval() {
		return this.heartBeat.dividedBy(4);
	}

	/**
	 * Return how long a leader leads without another answer, counted from when it sent
	 * the question that was answered last. The rest of the heartbeat covers clocks of
	 * different speed and the notification of listeners.
	 */
	Duration validity() {
		return this.heartBeat.multipliedBy(3).dividedBy(4);
	}

}
