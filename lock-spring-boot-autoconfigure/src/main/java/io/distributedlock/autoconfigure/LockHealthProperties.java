package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.LockRequest;
import io.distributedlock.actuate.ProbeMode;

/**
 * Properties of the health of the stores.
 *
 * @param probe When a store is probed: if no acquisition has shown its health within the
 * interval, always, or never.
 * @param interval How long an acquisition or the result of a probe shows the health.
 * @param latencyThreshold Time for a grant above which the status is SLOW.
 * @param timeout How long a request for the health waits for a probe. By default, the
 * timeout of one call to the store.
 */
@ConfigurationProperties("lock.health")
record LockHealthProperties(@DefaultValue("when-idle") ProbeMode probe, @DefaultValue("10s") Duration interval,
		@DefaultValue("500ms") Duration latencyThreshold, @Nullable Duration timeout) implements InitializingBean {

	private static final DurationBounds BOUNDS = new DurationBounds(Duration.ofMillis(1), LockRequest.MAX_HOLD_TIME);

	@Override
	public void afterPropertiesSet() {
		BOUNDS.check("lock.health.interval", this.interval);
		BOUNDS.check("lock.health.latency-threshold", this.latencyThreshold);
		BOUNDS.check("lock.health.timeout", this.timeout);
	}

}
