package io.distributedlock.spi;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClockReading}.
 */
class ClockReadingTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration ALLOWANCE = LockClock.driftAllowance(TTL);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final ClockReading sentAt = ClockReading.now(this.clock);

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
		assertThat(this.sentAt.gain(now())).isEqualTo(Duration.ofSeconds(4).toNanos());
	}

	@Test
	void wallClockThatIsPutBackMakesNothingYounger() {
		this.clock.advance(Duration.ofSeconds(3));
		this.clock.jumpWall(Duration.ofHours(-1));

		assertThat(this.sentAt.age(this.clock)).isEqualTo(Duration.ofSeconds(3));
		assertThat(this.sentAt.gain(now())).isEqualTo(Duration.ofHours(-1).toNanos());
		assertThat(this.sentAt.stoodStill(now(), TTL)).isFalse();
	}

	@Test
	void timeThatBothClocksCountIsNoStandstill() {
		this.clock.advance(Duration.ofDays(1));

		assertThat(this.sentAt.stoodStill(now(), TTL)).isFalse();
	}

	@Test
	void standstillOfNoMoreThanTheDriftAllowanceIsBorne() {
		this.clock.suspend(ALLOWANCE);

		assertThat(this.sentAt.stoodStill(now(), TTL)).isFalse();
	}

	@Test
	void longerStandstillIsNoticed() {
		this.clock.suspend(ALLOWANCE.plusMillis(1));

		assertThat(this.sentAt.stoodStill(now(), TTL)).isTrue();
	}

	private ClockReading now() {
		return ClockReading.now(this.clock);
	}

}
