package io.distributedlock.backend.redis;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ServerState}.
 */
class ServerStateTests {

	private static final String OK = "ok:0ab-1cd:60000";

	private static final String QUARANTINE = "q:0ab-1cd:60000:first";

	private static final String ANOTHER = "q:0ab-1cd:60000:second";

	private static final Duration LENGTH = Duration.ofMillis(60_000 + 1200 + 100);

	private final VirtualLockClock clock = new VirtualLockClock();

	// The known state after the latest answer.
	private @Nullable ServerState known;

	@Test
	void nothingIsKnownBeforeTheFirstAnswer() {
		assertThat(over()).isNull();
	}

	@Test
	void lengthIsTheLongestTtlAndAMargin() {
		assertThat(ServerState.quarantine(Duration.ofSeconds(60))).isEqualTo(LENGTH);
	}

	@Test
	void quarantineIsOverOnceItWasSeenForItsLengthAndNotBefore() {
		read(QUARANTINE);

		this.clock.advance(LENGTH.minusNanos(1));
		assertThat(over()).isNull();

		this.clock.advance(Duration.ofNanos(1));
		assertThat(over()).isEqualTo(QUARANTINE);
	}

	@Test
	void timeOfAQuarantineCountsFromItsFirstSight() {
		read(QUARANTINE);
		this.clock.advance(Duration.ofSeconds(20));

		ServerState again = read(QUARANTINE);

		assertThat(again).isInstanceOfSatisfying(ServerState.Quarantined.class,
				(quarantined) -> assertThat(quarantined.rest(this.clock)).isEqualTo(LENGTH.minusSeconds(20)));
	}

	@Test
	void anotherQuarantineOfTheSameIncarnationCountsAnew() {
		read(QUARANTINE);
		this.clock.advance(LENGTH);

		read(ANOTHER);

		assertThat(over()).isNull();
		this.clock.advance(LENGTH);
		assertThat(over()).isEqualTo(ANOTHER);
	}

	@Test
	void quarantineThatAnotherClientEndedGrants() {
		read(QUARANTINE);

		read(OK);

		assertThat(this.known).isEqualTo(new ServerState.Granting(OK));
		assertThat(over()).isNull();
	}

	@Test
	void jumpOfTheWallClockEndsNoQuarantine() {
		read(QUARANTINE);

		this.clock.jumpWall(Duration.ofDays(1));

		assertThat(over()).isNull();
	}

	@Test
	void anotherLongestTtlIsAnErrorThatNamesTheProperty() {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> read("ok:0ab-1cd:30000"))
			.withMessageContaining("lock.redis.max-ttl of 30000 ms, and here it is 60000 ms");
		assertThat(this.known).isNull();
	}

	@Test
	void stateThatIsNotUnderstoodIsAnError() {
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> read("7"))
			.withMessageContaining("'7'");
	}

	private ServerState read(String literal) {
		ServerState now = ServerState.read(literal, this.known, Duration.ofSeconds(60), this.clock);
		this.known = now;
		return now;
	}

	private @Nullable String over() {
		return ServerState.over(this.known, this.clock);
	}

}
