package io.distributedlock.integration;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * For what an application stands, and how.
 *
 * @param roles the roles, each of which has one leader among all applications that share
 * the store
 * @param heartBeat within which a leader whose lock was taken away is revoked, and for
 * which the next one waits; greater than zero
 * @param ttl within which a leader that crashed is followed, greater than the heartbeat
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
	 * Return the ttl of the leader's lease: who follows waits for one heartbeat besides.
	 */
	Duration leaseTtl() {
		return this.ttl.minus(this.heartBeat);
	}

	/**
	 * Return the time between two questions of a leader whether its lease stands.
	 */
	Duration interval() {
		return this.heartBeat.dividedBy(4);
	}

	/**
	 * Return for how long a leader leads without another answer, since it sent the
	 * question that was answered last. What is left of the heartbeat is for clocks that
	 * are not equally fast, and for who has to be told.
	 */
	Duration validity() {
		return this.heartBeat.multipliedBy(3).dividedBy(4);
	}

}
