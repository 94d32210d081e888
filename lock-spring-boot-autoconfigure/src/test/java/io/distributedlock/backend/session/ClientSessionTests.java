package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.SessionValidity;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClientSession}, on a clock that only the test moves.
 */
class ClientSessionTests {

	private static final Duration VALIDITY = Duration.ofSeconds(5);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final List<OwnerId> lost = new ArrayList<>();

	private final List<OwnerId> woken = new ArrayList<>();

	private final ClientSession<TestEntry> session = new ClientSession<>(this.clock, this.lost::add, () -> true, now(),
			VALIDITY);

	@Test
	void validityCountsFromTheSendingOfTheProof() {
		ClockReading sent = now();
		this.clock.advance(Duration.ofSeconds(3));

		assertThat(this.session.acknowledged(sent, VALIDITY)).isTrue();

		assertThat(this.session.validFor()).isEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void proofThatWasSentEarlierTakesNothingBack() {
		ClockReading earlier = now();
		this.clock.advance(Duration.ofSeconds(3));
		this.session.acknowledged(now(), VALIDITY);

		assertThat(this.session.acknowledged(earlier, VALIDITY)).isTrue();

		assertThat(this.session.validFor()).isEqualTo(VALIDITY);
	}

	@Test
	void shorterValidityOfALaterProofCounts() {
		this.clock.advance(Duration.ofSeconds(1));

		this.session.acknowledged(now(), Duration.ofSeconds(1));

		assertThat(this.session.validFor()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void acknowledgementThatComesAfterTheEndRevivesNothing() {
		SessionValidity before = this.session.validity();
		this.clock.advance(Duration.ofSeconds(4));
		ClockReading sent = now();
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.session.acknowledged(sent, VALIDITY)).isFalse();
		assertThat(this.session.validFor()).isZero();

		this.session.revalidate(sent, VALIDITY);
		assertThat(this.session.validFor()).isEqualTo(Duration.ofSeconds(4));
		assertThat(before.nanosLeft(this.clock.nanoTime())).isZero();
	}

	@Test
	void machineThatStoodStillHasToProveTheSessionAgain() {
		this.clock.suspend(Duration.ofSeconds(2));
		assertThat(this.session.isProven()).isFalse();

		this.clock.advance(Duration.ofMillis(1));
		this.session.acknowledged(now(), VALIDITY);

		assertThat(this.session.isProven()).isTrue();
	}

	@Test
	void wallClockThatGoesBackLeavesTheSessionProven() {
		this.clock.jumpWall(Duration.ofHours(-1));

		assertThat(this.session.isProven()).isTrue();
	}

	@Test
	void endReportsWhatIsHeldAndWakesWhatWaitsOnce() {
		TestEntry held = entry();
		this.session.await(held);
		this.session.hold(held);
		TestEntry waits = entry();
		this.session.await(waits);
		TestEntry given = entry();
		this.session.hold(given);
		this.session.remove(given);

		assertThat(this.session.end()).isTrue();
		assertThat(this.session.end()).isFalse();

		assertThat(this.lost).containsExactly(held.ownerId());
		assertThat(this.woken).containsExactly(waits.ownerId());
		assertThat(this.session.validFor()).isZero();
		assertThat(this.session.size()).isZero();
	}

	@Test
	void entriesThatComeAfterTheEndAreReportedImmediately() {
		this.session.end();
		TestEntry held = entry();
		TestEntry waits = entry();

		this.session.hold(held);
		this.session.await(waits);

		assertThat(this.lost).containsExactly(held.ownerId());
		assertThat(this.woken).containsExactly(waits.ownerId());
	}

	@Test
	void endedSessionGetsNoNewValidity() {
		this.session.end();

		assertThat(this.session.acknowledged(now(), VALIDITY)).isFalse();
		this.session.revalidate(now(), VALIDITY);

		assertThat(this.session.validFor()).isZero();
	}

	private ClockReading now() {
		return ClockReading.now(this.clock);
	}

	private TestEntry entry() {
		return new TestEntry(OwnerId.random(), this.woken);
	}

	@Test
	void lossIsReportedWithTheOwnerIdWhateverIdTheStoreWrites() {
		OwnerId atTheStore = OwnerId.random();
		OwnerId ownerId = OwnerId.random();
		ClientSession<SessionEntry> other = new ClientSession<>(this.clock, this.lost::add, () -> true, now(),
				VALIDITY);
		other.hold(new SessionEntry() {

			@Override
			public OwnerId ownerId() {
				return ownerId;
			}

			@Override
			public OwnerId id() {
				return atTheStore;
			}

			@Override
			public long firstToken() {
				return 1;
			}

			@Override
			public void wakeUp() {
			}

		});

		assertThat(other.findHeld(ownerId)).isNull();
		assertThat(other.findHeld(atTheStore)).isNotNull();
		other.end();

		assertThat(this.lost).containsExactly(ownerId);
	}

}
