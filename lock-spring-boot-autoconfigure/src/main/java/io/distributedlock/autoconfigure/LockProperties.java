package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.epoch.TokenEpoch;
import io.distributedlock.spi.LockClock;

/**
 * Properties of the locks, whatever the store.
 *
 * @param backend Store that keeps the locks, or the name of a bean of type LockBackend.
 * By default the only store that is present. With lock.backends, the store of requests
 * that name none.
 * @param backends Stores to set up, of which lock.backend is the default. By default only
 * that one.
 * @param ttl How long the store keeps a lease without renewal, at least 100ms.
 * @param waitTime How long to wait for a lock if neither the annotation nor the request
 * specifies it.
 * @param keyPrefix Prefix of every key at the store. Applications with different prefixes
 * never share a lock.
 * @param callTimeout Timeout of one call to the store; a third of the TTL if that is
 * shorter.
 * @param maxHold Age at which a lease is no longer renewed and counts as lost. By default
 * it is renewed until it is released.
 * @param tokenRetention How long the store remembers the last fencing token of an unused
 * key.
 * @param tokenEpoch Number from 0 to 127 in the high bits of all fencing tokens, so that
 * tokens keep growing when another store takes over. The same for all instances that
 * share locks; may be raised, but never lowered.
 * @param instanceId Name of this process as the holder of a lock. By default
 * application@host:pid.
 * @param stopTimeout How long shutdown waits for the release of leases that are still
 * held.
 * @param awaitHolders How long shutdown waits for active holders before their leases are
 * lost and released. By default, as long as it waits for tasks of executors that end
 * after the connections to the store, if there are any.
 * @param startupTimeout How long startup waits for a store that is not ready yet.
 * @param startupCheck What startup checks at the store: everything that locks need, on a
 * key of its own; only whether it answers; or nothing.
 * @param failFast Whether startup fails if the store does not pass the startup check.
 * Otherwise the check runs in the background and logs its result, and locks are
 * unavailable until the store is ready.
 */
@ConfigurationProperties("lock")
record LockProperties(@Nullable String backend, @DefaultValue List<String> backends, @DefaultValue("30s") Duration ttl,
		@DefaultValue("10s") Duration waitTime, @DefaultValue("lock:") String keyPrefix,
		@DefaultValue("2s") Duration callTimeout, @Nullable Duration maxHold,
		@DefaultValue("1h") Duration tokenRetention, @DefaultValue("0") int tokenEpoch, @Nullable String instanceId,
		@DefaultValue("5s") Duration stopTimeout, @Nullable Duration awaitHolders,
		@DefaultValue("30s") Duration startupTimeout, @DefaultValue("full") StartupCheck.Extent startupCheck,
		@DefaultValue("true") boolean failFast, @DefaultValue Handover handover) implements InitializingBean {

	private static final DurationBounds TTL = boundsFrom(Duration.ofMillis(100));

	private static final DurationBounds TIMEOUT = boundsFrom(Duration.ofMillis(1));

	private static final DurationBounds RETENTION = boundsFrom(Duration.ofMinutes(1));

	private static final DurationBounds ANY = boundsFrom(Duration.ZERO);

	private static DurationBounds boundsFrom(Duration least) {
		return new DurationBounds(least, LockRequest.MAX_HOLD_TIME);
	}

	/**
	 * Validates here instead of in the constructor, because a binding failure would be
	 * less specific.
	 */
	@Override
	public void afterPropertiesSet() {
		TTL.check("lock.ttl", this.ttl);
		ANY.check("lock.wait-time", this.waitTime);
		TIMEOUT.check("lock.call-timeout", this.callTimeout);
		TTL.check("lock.max-hold", this.maxHold);
		RETENTION.check("lock.token-retention", this.tokenRetention);
		if (this.tokenEpoch < 0 || this.tokenEpoch > TokenEpoch.GREATEST) {
			throw new InvalidConfigurationPropertyValueException("lock.token-epoch", this.tokenEpoch,
					"It must be between 0 and " + TokenEpoch.GREATEST + ".");
		}
		ANY.check("lock.stop-timeout", this.stopTimeout);
		ANY.check("lock.startup-timeout", this.startupTimeout);
		ANY.check("lock.await-holders", this.awaitHolders);
		ANY.check("lock.handover.max-duration", this.handover.maxDuration);
		if (this.keyPrefix.contains("${")) {
			throw new InvalidConfigurationPropertyValueException("lock.key-prefix", this.keyPrefix,
					"There is no property for the placeholder in it.");
		}
		if (this.handover.maxCount < 0) {
			throw new InvalidConfigurationPropertyValueException("lock.handover.max-count", this.handover.maxCount,
					"It must not be negative; 0 passes nothing on.");
		}
	}

	/**
	 * Return the timeout of calls without a TTL of their own.
	 */
	Duration boundedCallTimeout() {
		Duration third = this.ttl.dividedBy(3);
		return (third.compareTo(this.callTimeout) < 0) ? third : this.callTimeout;
	}

	ConfiguredStores configuredStores() {
		return new ConfiguredStores(this.backend, this.backends);
	}

	EngineSettings toEngineSettings() {
		return new EngineSettings(this.ttl, this.waitTime, this.maxHold, this.callTimeout, this.stopTimeout,
				new HandOverSettings(this.handover.maxCount, this.handover.maxDuration));
	}

	LockEngineLifecycle toLifecycle(LockEngine engine, LockClock clock) {
		StartupCheck check = new StartupCheck(engine, this.startupCheck, this.startupTimeout, clock);
		return new LockEngineLifecycle(engine, check, this.failFast);
	}

	/**
	 * Hand-over of a lease inside this process.
	 *
	 * @param maxCount How many times a lease is handed over to waiters of this process
	 * before it goes back to the store. 0 turns hand-over off.
	 * @param maxDuration How long a lease is handed over to waiters of this process
	 * before it goes back to the store.
	 */
	record Handover(@DefaultValue("1023") int maxCount, @DefaultValue("100ms") Duration maxDuration) {
	}

}
