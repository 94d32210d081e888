package io.distributedlock.backend.etcd;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how long a session is valid, on a clock that only the test moves.
 */
class SessionTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration VALIDITY = Duration.ofMillis(4_948);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final Session session = new Session(1, sentNow(), this.clock);

	@Test
	void validityIsHalfTheTtlLessTheDriftAllowance() {
		this.clock.advance(VALIDITY.minusNanos(1));
		assertThat(this.session.isOpen()).isTrue();

		this.clock.advance(Duration.ofNanos(1));

		assertThat(this.session.isOpen()).isFalse();
	}

	@Test
	void validityCountsFromTheSendingOfTheSignOfLife() {
		Confirmation sent = sentNow();
		this.clock.advance(Duration.ofSeconds(3));

		this.session.confirm(sent.of(TTL.toSeconds()));

		assertThat(left()).isEqualTo(VALIDITY.minusSeconds(3));
	}

	@Test
	void signOfLifeThatWasSentEarlierTakesNothingBack() {
		Confirmation earlier = sentNow();
		this.clock.advance(Duration.ofSeconds(3));
		this.session.confirm(sentNow());

		this.session.confirm(earlier);

		assertThat(left()).isEqualTo(VALIDITY);
	}

	@Test
	void acknowledgementThatComesAfterTheEndRevivesNothing() {
		this.clock.advance(Duration.ofSeconds(4));
		Confirmation sent = sentNow();
		this.clock.advance(Duration.ofSeconds(1));

		this.session.confirm(sent);

		assertThat(this.session.isOpen()).isFalse();
		assertThat(left()).isLessThanOrEqualTo(Duration.ZERO);
	}

	@Test
	void ttlThatEtcdTellsCounts() {
		this.clock.advance(Duration.ofSeconds(1));

		this.session.confirm(sentNow().of(20));

		assertThat(left()).isEqualTo(Duration.ofMillis(9_898));
	}

	@Test
	void ttlThatNoEtcdTellsIsBounded() {
		this.clock.advance(Duration.ofSeconds(1));
		this.session.confirm(sentNow().of(Long.MAX_VALUE));
		assertThat(left()).isLessThan(Duration.ofDays(1));

		this.clock.advance(Duration.ofSeconds(1));
		this.session.confirm(sentNow().of(Long.MIN_VALUE));

		assertThat(left()).isLessThanOrEqualTo(Duration.ZERO);
	}

	@Test
	void lostSessionIsLostOnce() {
		assertThat(this.session.lose()).isTrue();

		assertThat(this.session.lose()).isFalse();
		assertThat(this.session.isOpen()).isFalse();
		assertThat(left()).isZero();
	}

	@Test
	void machineThatStoodStillMakesTheSessionSuspectUntilItIsConfirmedAgain() {
		this.clock.suspend(Duration.ofSeconds(2));
		assertThat(this.session.isSuspect()).isTrue();

		this.clock.advance(Duration.ofMillis(1));
		this.session.confirm(sentNow());

		assertThat(this.session.isSuspect()).isFalse();
	}

	@Test
	void wallClockThatGoesBackMakesNothingSuspect() {
		this.clock.jumpWall(Duration.ofHours(-1));

		assertThat(this.session.isSuspect()).isFalse();
		assertThat(left()).isEqualTo(VALIDITY);
	}

	private Confirmation sentNow() {
		return Confirmation.sentNow(this.clock, TTL);
	}

	private Duration left() {
		return Duration.ofNanos(this.session.nanosLeft(this.clock.nanoTime()));
	}

}
