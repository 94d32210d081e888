package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.call.NoAnswerException;
import io.distributedlock.backend.redis.script.ScriptCall;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link ScriptTimeouts}.
 */
class ScriptTimeoutsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final ScriptTimeouts timeouts = new ScriptTimeouts(this.clock, new ScriptFaults(null, "lock:"));

	@Test
	void callThatWasSentEndsAfterItsTimeout() {
		PendingScript call = begin();
		call.call().send();

		this.clock.advance(TIMEOUT.multipliedBy(2));

		assertThat(call.call().result()).isCompletedExceptionally();
		assertThat(catchThrowable(call.call().result()::join)).hasCauseInstanceOf(NoAnswerException.class);
	}

	@Test
	void nothingIsScheduledWhenAllCallsHaveEnded() {
		begin().call().complete(List.of());

		this.clock.advance(TIMEOUT);

		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void faultAtTheEndOfOneCallPreventsNoOtherTimeout() {
		begin().call().onTimeout(() -> {
			throw new IllegalStateException("cancelled twice");
		});
		PendingScript next = begin();

		var unused = catchThrowable(() -> this.clock.advance(TIMEOUT.multipliedBy(2)));
		this.clock.advance(TIMEOUT);

		assertThat(next.call().result()).isCompletedExceptionally();
	}

	private PendingScript begin() {
		return this.timeouts.begin(ScriptCall.of(RedisScripts.ACQUIRE, List.of()), TIMEOUT);
	}

}
