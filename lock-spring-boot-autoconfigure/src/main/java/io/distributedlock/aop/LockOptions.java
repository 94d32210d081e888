package io.distributedlock.aop;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;

/**
 * The options of an annotation, apart from the key.
 */
record LockOptions(String metricName, @Nullable Duration ttl, @Nullable Duration waitTime, @Nullable Duration minHold,
		@Nullable Duration maxHold, boolean renew, boolean fenced, LockMode mode, @Nullable Integer permits,
		@Nullable String backend) {

	LockRequest applyTo(LockRequest request) {
		LockRequest result = request.name(this.metricName);
		result = (this.ttl != null) ? result.ttl(this.ttl) : result;
		result = (this.waitTime != null) ? result.waitTime(this.waitTime) : result;
		result = (this.minHold != null) ? result.minHold(this.minHold) : result;
		result = (this.maxHold != null) ? result.maxHold(this.maxHold) : result;
		result = this.renew ? result : result.withoutRenewal();
		result = this.fenced ? result.fenced() : result;
		result = (this.mode == LockMode.SHARED) ? result.shared() : result;
		result = (this.permits != null) ? result.permits(this.permits) : result;
		return (this.backend != null) ? result.backend(this.backend) : result;
	}

}
