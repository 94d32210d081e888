package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockRequest;
import io.distributedlock.integration.LeaderElection;
import io.distributedlock.integration.LeaderElectionSettings;

/**
 * Properties of the election of leaders.
 *
 * @param roles Roles for which this application is a candidate. Each has one leader among
 * all applications that share the locks.
 * @param heartBeat Time within which a leader whose lock was taken away is revoked, and
 * for which the next leader waits before it leads, at least 100ms. A leader asks the
 * store four times as often, and is revoked if the store does not answer for that long.
 * @param ttl Time within which a crashed leader is followed, at least 100ms more than the
 * heartbeat. Its lock is kept for one heartbeat less. By default lock.ttl.
 * @param backend Store of the locks of leaders, if there are several. By default
 * lock.backend.
 */
@ConfigurationProperties("lock.leader-election")
record LockLeaderElectionProperties(@DefaultValue Set<String> roles, @DefaultValue("2s") Duration heartBeat,
		@Nullable Duration ttl, @Nullable String backend) implements InitializingBean {

	private static final DurationBounds HEART_BEAT = new DurationBounds(Duration.ofMillis(100), Duration.ofHours(1));

	/**
	 * Validates here instead of in the constructor, because a binding failure would be
	 * less specific.
	 */
	@Override
	public void afterPropertiesSet() {
		HEART_BEAT.check("lock.leader-election.heart-beat", this.heartBeat);
		this.roles.forEach(LockLeaderElectionProperties::requireRole);
	}

	private static void requireRole(String role) {
		if (role.isBlank()) {
			throw new InvalidConfigurationPropertyValueException("lock.leader-election.roles", role,
					"A role must not be blank.");
		}
		if (role.contains("${")) {
			throw new InvalidConfigurationPropertyValueException("lock.leader-election.roles", role,
					"There is no property for the placeholder in it.");
		}
		try {
			LockRequest.of(LeaderElection.KEY_PREFIX + role);
		}
		catch (InvalidLockRequestException ex) {
			throw new InvalidConfigurationPropertyValueException("lock.leader-election.roles", role, ex.getMessage());
		}
	}

	LeaderElectionSettings toSettings(Set<String> stores, Duration defaultTtl) {
		if (this.backend != null && !stores.contains(this.backend)) {
			throw new LockStartException(
					"There is no store '" + this.backend + "' for the locks of leaders (lock.leader-election.backend).",
					"Name one of " + new TreeSet<>(stores) + ", or add it to 'lock.backends'.", null);
		}
		return new LeaderElectionSettings(this.roles, this.heartBeat, ttl(defaultTtl), this.backend);
	}

	private Duration ttl(Duration defaultTtl) {
		Duration chosen = (this.ttl != null) ? this.ttl : defaultTtl;
		try {
			// The rest has to be long enough for a lease.
			LockRequest.of("any").ttl(chosen.minus(this.heartBeat));
		}
		catch (InvalidLockRequestException ex) {
			throw new InvalidConfigurationPropertyValueException("lock.leader-election.ttl", chosen,
					"A crashed leader's lock is kept for the ttl without one lock.leader-election.heart-beat, which is "
							+ this.heartBeat.toMillis() + "ms, and between 100ms and "
							+ LockRequest.MAX_HOLD_TIME.toDays() + "d must be left.");
		}
		return chosen;
	}

}
