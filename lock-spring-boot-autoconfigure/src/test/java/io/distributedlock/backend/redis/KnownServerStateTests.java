package io.distributedlock.backend.redis;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KnownServerState}.
 */
class KnownServerStateTests {

	private static final String OK = "ok:0ab-1cd:60000";

	private static final String QUARANTINE = "q:0ab-1cd:60000:first";

	private static final String ANOTHER = "q:0ab-1cd:60000:second";

	private static final Duration LENGTH = Duration.ofMillis(60_000 + 1200 + 100);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final KnownServerState state = new KnownServerState(Duration.ofSeconds(60), this.clock);

	@Test
	void nothingIsKnownBeforeTheFirstAnswer() {
		assertThat(this.state.known()).isNull();
		assertThat(this.state.over()).isNull();
	}

	@Test
	void lengthIsTheLongestTtlAndAMargin() {
		assertThat(KnownServerState.length(Duration.ofSeconds(60))).isEqualTo(LENGTH);
	}

	@Test
	void quarantineIsOverOnceItWasSeenForItsLengthAndNotBefore() {
		this.state.read(QUARANTINE);

		this.clock.advance(LENGTH.minusNanos(1));
		assertThat(this.state.over()).isNull();

		this.clock.advance(Duration.ofNanos(1));
		assertThat(this.state.over()).isEqualTo(QUARANTINE);
	}

	@Test
	void timeOfAQuarantineCountsFromItsFirstSight() {
		this.state.read(QUARANTINE);
		this.clock.advance(Duration.ofSeconds(20));

		ServerState again = this.state.read(QUARANTINE);

		assertThat(again).isInstanceOfSatisfying(ServerState.Quarantined.class,
				(quarantined) -> assertThat(quarantined.rest(this.clock)).isEqualTo(LENGTH.minusSeconds(20)));
	}

	@Test
	void anotherQuarantineOfTheSameIncarnationCountsAnew() {
		this.state.read(QUARANTINE);
		this.clock.advance(LENGTH);

		this.state.read(ANOTHER);

		assertThat(this.state.over()).isNull();
		this.clock.advance(LENGTH);
		assertThat(this.state.over()).isEqualTo(ANOTHER);
	}

	@Test
	void quarantineThatSomebodyElseEndedGrants() {
		this.state.read(QUARANTINE);

		this.state.read(OK);

		assertThat(this.state.known()).isEqualTo(new ServerState.Granting(OK));
		assertThat(this.state.over()).isNull();
	}

	@Test
	void jumpOfTheWallClockEndsNoQuarantine() {
		this.state.read(QUARANTINE);

		this.clock.jumpWall(Duration.ofDays(1));

		assertThat(this.state.over()).isNull();
	}

	@Test
	void anotherLongestTtlIsAnErrorThatNamesTheProperty() {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.state.read("ok:0ab-1cd:30000"))
			.withMessageContaining("lock.redis.max-ttl of 30000 ms, and here it is 60000 ms");
		assertThat(this.state.known()).isNull();
	}

	@Test
	void stateThatNobodyUnderstandsIsAnError() {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.state.read("7"))
			.withMessageContaining("'7'");
	}

}
