package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.distributedlock.LockRequest;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RenewalSchedule}.
 */
class RenewalScheduleTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	private final VirtualLockClock clock = new VirtualLockClock();

	private final ResolvedRequest request = ResolvedRequest.resolve(LockRequest.of("key").ttl(TTL), Duration.ZERO,
			EngineSettings.DEFAULTS, "local",
			new LocalLockBackend(new LocalStore(this.clock), "test", this.clock).traits());

	private final RenewalSchedule schedule = new RenewalSchedule(this.request, this.clock.nanoTime());

	@Test
	void renewalIsDueAfterAThirdOfTheTtl() {
		assertThat(dueIn()).isEqualTo(TTL.dividedBy(3));
	}

	@Test
	void nextRenewalIsDueAThirdOfTheTtlAfterTheAnswer() {
		this.schedule.begin(this.clock.nanoTime());
		this.clock.advance(Duration.ofSeconds(1));
		this.schedule.end(true, this.clock.nanoTime());

		assertThat(dueIn()).isEqualTo(TTL.dividedBy(3));
		assertThat(this.schedule.isUnderWay()).isFalse();
	}

	@Test
	void renewalsFollowSoonWhileTheStoreCannotBeAsked() {
		for (int i = 0; i < 20; i++) {
			this.schedule.begin(this.clock.nanoTime());
			this.schedule.end(false, this.clock.nanoTime());

			assertThat(dueIn()).isPositive().isLessThanOrEqualTo(TTL.dividedBy(10));
		}
	}

	@Test
	void renewalIsNearInTheLastTenthBeforeItIsDue() {
		Duration tenth = TTL.dividedBy(30);
		this.clock.advance(TTL.dividedBy(3).minus(tenth).minusNanos(1));
		assertThat(this.schedule.isNear(this.clock.nanoTime())).isFalse();

		this.clock.advance(Duration.ofNanos(1));

		assertThat(this.schedule.isNear(this.clock.nanoTime())).isTrue();
		assertThat(this.schedule.isDue(this.clock.nanoTime())).isFalse();
	}

	@Test
	void renewalThatFollowsAFaultIsNeverEarly() {
		this.schedule.begin(this.clock.nanoTime());
		this.schedule.end(false, this.clock.nanoTime());

		assertThat(this.schedule.isNear(this.clock.nanoTime())).isFalse();
	}

	@Test
	void answerIsAwaitedUntilItIsFarTooLate() {
		this.schedule.begin(this.clock.nanoTime());

		this.clock.advance(this.request.silenceLimit());
		assertThat(this.schedule.isAwaitingAnswer(this.clock.nanoTime())).isTrue();
		this.clock.advance(Duration.ofNanos(1));

		assertThat(this.schedule.isAwaitingAnswer(this.clock.nanoTime())).isFalse();
		assertThat(this.schedule.isUnderWay()).isTrue();
	}

	private Duration dueIn() {
		return Duration.ofNanos(this.schedule.next() - this.clock.nanoTime());
	}

}
