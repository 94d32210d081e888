package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.KeyPrefix;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.ClockReading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for how long a session is valid, on a clock that only the test moves.
 */
class EtcdSessionTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration VALIDITY = Duration.ofMillis(4_948);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final AtomicInteger losses = new AtomicInteger();

	private final EtcdSession session = new EtcdSession(new EtcdLink.LeaseAnswer(1, TTL.toSeconds()), sentNow(),
			mock(EtcdRequests.class), new EtcdKeys("", new KeyPrefix("")),
			new EtcdLockSettings("", "", "test", TTL, TTL, TTL), this.clock, (owner) -> {
			}, (lost) -> this.losses.incrementAndGet());

	@Test
	void validityIsHalfTheTtlLessTheDriftAllowance() {
		this.clock.advance(VALIDITY.minusNanos(1));
		assertThat(this.session.isOpen()).isTrue();

		this.clock.advance(Duration.ofNanos(1));

		assertThat(this.session.isOpen()).isFalse();
	}

	@Test
	void validityCountsFromTheSendingOfTheSignOfLife() {
		ClockReading sent = sentNow();
		this.clock.advance(Duration.ofSeconds(3));

		this.session.acknowledged(sent, TTL.toSeconds());

		assertThat(left()).isEqualTo(VALIDITY.minusSeconds(3));
	}

	@Test
	void signOfLifeThatWasSentEarlierTakesNothingBack() {
		ClockReading earlier = sentNow();
		this.clock.advance(Duration.ofSeconds(3));
		this.session.acknowledged(sentNow(), TTL.toSeconds());

		this.session.acknowledged(earlier, TTL.toSeconds());

		assertThat(left()).isEqualTo(VALIDITY);
	}

	@Test
	void acknowledgementThatComesAfterTheEndRevivesNothing() {
		this.clock.advance(Duration.ofSeconds(4));
		ClockReading sent = sentNow();
		this.clock.advance(Duration.ofSeconds(1));

		this.session.acknowledged(sent, TTL.toSeconds());

		assertThat(this.session.isOpen()).isFalse();
		assertThat(left()).isLessThanOrEqualTo(Duration.ZERO);
	}

	@Test
	void ttlThatEtcdReturnsCounts() {
		this.clock.advance(Duration.ofSeconds(1));

		this.session.acknowledged(sentNow(), 20);

		assertThat(left()).isEqualTo(Duration.ofMillis(9_898));
	}

	@Test
	void ttlThatNoEtcdReturnsIsBounded() {
		this.clock.advance(Duration.ofSeconds(1));
		this.session.acknowledged(sentNow(), Long.MAX_VALUE);
		assertThat(left()).isLessThan(Duration.ofDays(1));

		this.clock.advance(Duration.ofSeconds(1));
		this.session.acknowledged(sentNow(), Long.MIN_VALUE);

		assertThat(left()).isLessThanOrEqualTo(Duration.ZERO);
	}

	@Test
	void lostSessionIsLostOnce() {
		this.session.lose("first");
		this.session.lose("second");

		assertThat(this.losses).hasValue(1);
		assertThat(this.session.isOpen()).isFalse();
		assertThat(left()).isZero();
	}

	@Test
	void machineThatStoodStillMakesTheSessionSuspectUntilItIsConfirmedAgain() {
		this.clock.suspend(Duration.ofSeconds(2));
		assertThat(this.session.entries().isProven()).isFalse();

		this.clock.advance(Duration.ofMillis(1));
		this.session.acknowledged(sentNow(), TTL.toSeconds());

		assertThat(this.session.entries().isProven()).isTrue();
	}

	@Test
	void wallClockThatGoesBackMakesNothingSuspect() {
		this.clock.jumpWall(Duration.ofHours(-1));

		assertThat(this.session.entries().isProven()).isTrue();
		assertThat(left()).isEqualTo(VALIDITY);
	}

	private ClockReading sentNow() {
		return ClockReading.now(this.clock);
	}

	private Duration left() {
		return Duration.ofNanos(this.session.entries().validity().nanosLeft(this.clock.nanoTime()));
	}

}
