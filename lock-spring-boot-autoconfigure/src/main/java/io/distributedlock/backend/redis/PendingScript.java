package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.call.StoreCall;
import io.distributedlock.backend.redis.script.ScriptCall;

/**
 * A script that is to be run, and the state of its call.
 *
 * @param script the script
 * @param call the call
 * @param user who calls, for messages
 */
record PendingScript(ScriptCall script, StoreCall<List<Object>> call, @Nullable String user) {

	private static final Duration LEAST = Duration.ofMillis(1);

	/**
	 * Return what is left of the time, for a driver that needs a timeout.
	 * @return at least a millisecond
	 */
	Duration timeout() {
		Duration left = this.call.deadline().left();
		return (left.compareTo(LEAST) > 0) ? left : LEAST;
	}

	/**
	 * End the call by what the driver has thrown.
	 * @param fault what was thrown
	 */
	void failBy(Throwable fault) {
		this.call.fail(ScriptFaults.explain(fault, this.script, this.user));
	}

}
