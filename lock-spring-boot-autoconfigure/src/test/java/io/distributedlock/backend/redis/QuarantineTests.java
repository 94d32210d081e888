package io.distributedlock.backend.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.redis.Quarantine.Granting;
import io.distributedlock.backend.redis.Quarantine.Standing;
import io.distributedlock.backend.redis.Quarantine.Waiting;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Quarantine}.
 */
class QuarantineTests {

	private static final String OK = "ok:0ab-1cd:60000";

	private static final String QUARANTINE = "q:0ab-1cd:60000:first";

	private static final String ANOTHER = "q:0ab-1cd:60000:second";

	private static final Duration LENGTH = Duration.ofMillis(60_000 + 1200 + 100);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final Quarantine quarantine = new Quarantine(Duration.ofSeconds(60), this.clock);

	@Test
	void nothingIsKnownBeforeTheFirstAnswer() {
		assertThat(this.quarantine.standing()).isNull();
		assertThat(this.quarantine.over()).isNull();
	}

	@Test
	void lengthIsTheLongestTtlAndAMargin() {
		assertThat(Quarantine.length(Duration.ofSeconds(60))).isEqualTo(LENGTH);
	}

	@Test
	void quarantineIsOverOnceItWasSeenForItsLengthAndNotBefore() {
		this.quarantine.read(QUARANTINE);

		this.clock.advance(LENGTH.minusNanos(1));
		assertThat(this.quarantine.over()).isNull();

		this.clock.advance(Duration.ofNanos(1));
		assertThat(this.quarantine.over()).isEqualTo(QUARANTINE);
	}

	@Test
	void timeOfAQuarantineCountsFromItsFirstSight() {
		this.quarantine.read(QUARANTINE);
		this.clock.advance(Duration.ofSeconds(20));

		Standing again = this.quarantine.read(QUARANTINE);

		assertThat(again).isInstanceOfSatisfying(Waiting.class,
				(waiting) -> assertThat(waiting.rest(this.clock)).isEqualTo(LENGTH.minusSeconds(20)));
	}

	@Test
	void anotherQuarantineOfTheSameIncarnationCountsAnew() {
		this.quarantine.read(QUARANTINE);
		this.clock.advance(LENGTH);

		this.quarantine.read(ANOTHER);

		assertThat(this.quarantine.over()).isNull();
		this.clock.advance(LENGTH);
		assertThat(this.quarantine.over()).isEqualTo(ANOTHER);
	}

	@Test
	void quarantineThatSomebodyElseEndedGrants() {
		this.quarantine.read(QUARANTINE);

		this.quarantine.read(OK);

		assertThat(this.quarantine.standing()).isEqualTo(new Granting(OK));
		assertThat(this.quarantine.over()).isNull();
	}

	@Test
	void jumpOfTheWallClockEndsNoQuarantine() {
		this.quarantine.read(QUARANTINE);

		this.clock.jumpWall(Duration.ofDays(1));

		assertThat(this.quarantine.over()).isNull();
	}

	@Test
	void doubtForgetsThatTheServerGrants() {
		Standing granting = this.quarantine.read(OK);

		this.quarantine.doubt(granting);

		assertThat(this.quarantine.standing()).isNull();
	}

	@Test
	void doubtForgetsNoTimeOfAQuarantine() {
		Standing waiting = this.quarantine.read(QUARANTINE);

		this.quarantine.doubt(waiting);

		assertThat(this.quarantine.standing()).isEqualTo(waiting);
	}

	@Test
	void lateDoubtOfAnEarlierStandingChangesNothing() {
		Standing earlier = this.quarantine.read("ok:0ab-9ef:60000");
		Standing now = this.quarantine.read(OK);

		this.quarantine.doubt(earlier);

		assertThat(this.quarantine.standing()).isEqualTo(now);
	}

	@Test
	void anotherLongestTtlIsAnErrorThatNamesTheProperty() {
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.quarantine.read("ok:0ab-1cd:30000"))
			.withMessageContaining("lock.redis.max-ttl of 30000 ms, and here it is 60000 ms");
		assertThat(this.quarantine.standing()).isNull();
	}

	@Test
	void stateThatNobodyUnderstandsIsAnError() {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.quarantine.read("7"))
			.withMessageContaining("'7'");
	}

}
