package io.distributedlock.integration;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SentAt}.
 */
class SentAtTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final SentAt sentAt = SentAt.now(this.clock);

	@Test
	void ageIsTheTimeThatPassed() {
		this.clock.advance(Duration.ofSeconds(3));

		assertThat(this.sentAt.age(this.clock)).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void timeInWhichTheMachineWasSuspendedCounts() {
		this.clock.advance(Duration.ofSeconds(3));
		this.clock.suspend(Duration.ofSeconds(4));

		assertThat(this.sentAt.age(this.clock)).isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	void wallClockThatIsPutBackMakesNothingYounger() {
		this.clock.advance(Duration.ofSeconds(3));
		this.clock.jumpWall(Duration.ofHours(-1));

		assertThat(this.sentAt.age(this.clock)).isEqualTo(Duration.ofSeconds(3));
	}

}
