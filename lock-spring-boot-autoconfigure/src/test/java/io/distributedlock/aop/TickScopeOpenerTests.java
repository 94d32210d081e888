package io.distributedlock.aop;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.TickDoneException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TickScopeOpener}.
 */
class TickScopeOpenerTests {

	private static final Instant TICK = Instant.parse("2026-01-01T00:00:00Z");

	private final RecordingScopes scopes = new RecordingScopes();

	private final List<LockRequest> missed = new ArrayList<>();

	private final TickScopeOpener opening = new TickScopeOpener(this.scopes, this.missed::add);

	private final LockRequest request = LockRequest.of("job").tick(TICK).waitTime(Duration.ZERO);

	@Test
	void freeLockTakesOneAttempt() {
		this.opening.open(this.request).close();

		assertThat(this.scopes.requests).containsExactly(this.request);
		assertThat(this.missed).isEmpty();
	}

	@Test
	void busyLockIsWaitedForALittleAndThenTheTickIsMissed() {
		this.scopes.busy();

		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.opening.open(this.request));

		assertThat(this.scopes.requests).extracting(LockRequest::getWaitTime)
			.containsExactly(Duration.ZERO, Duration.ofMillis(500));
		assertThat(this.missed).containsExactly(this.request);
	}

	@Test
	void whoWaitsLongerByItsOwnWillWaitsOnce() {
		this.scopes.busy();
		LockRequest patient = this.request.waitTime(Duration.ofSeconds(3));

		assertThatExceptionOfType(LockBusyException.class).isThrownBy(() -> this.opening.open(patient));

		assertThat(this.scopes.requests).containsExactly(patient);
		assertThat(this.missed).containsExactly(patient);
	}

	@Test
	void tickThatHasRunIsNotMissed() {
		this.scopes.failWith(new TickDoneException("job", TICK));

		assertThatExceptionOfType(TickDoneException.class).isThrownBy(() -> this.opening.open(this.request));

		assertThat(this.missed).isEmpty();
	}

}
