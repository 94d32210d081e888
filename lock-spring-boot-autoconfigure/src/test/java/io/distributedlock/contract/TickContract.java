package io.distributedlock.contract;

import java.time.Duration;
import java.time.Instant;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * There is one grant per tick, and no grant for an earlier tick.
 */
abstract class TickContract extends AbandonContract {

	private static final Instant TICK = Instant.parse("2026-03-29T01:30:00.250Z");

	private static final Instant NEXT_TICK = TICK.plusMillis(1);

	private static final Instant OLD_TICK = TICK.minusMillis(1);

	private final String key = newKey();

	@Test
	void tickIsGrantedOnceAlthoughTheLockIsFreeAgain() {
		assumeTicks();
		run(first(), TICK);

		assertDone(second(), TICK);
		assertDone(first(), TICK);
	}

	@Test
	void olderTickIsDoneAndTheNextOneIsGranted() {
		assumeTicks();
		run(first(), TICK);

		assertDone(second(), OLD_TICK);
		run(second(), NEXT_TICK);
	}

	@Test
	void doneReportsTheLatestTickThatHasRun() {
		assumeTicks();
		run(first(), TICK);
		run(second(), NEXT_TICK);

		// With several nodes, the release that settles the later tick may still be under
		// way to some of them.
		Awaitility.await()
			.untilAsserted(() -> assertThat(attempt(first(), this.key, tick(TICK)))
				.isEqualTo(new AttemptOutcome.Done(NEXT_TICK)));
	}

	@Test
	void tickOfTheRunningHolderIsDoneAndTheNextOneIsBusy() {
		assumeTicks();
		acquire(first(), this.key, tick(TICK));

		assertDone(second(), TICK);
		assertThat(attempt(second(), this.key, tick(NEXT_TICK))).isInstanceOf(AttemptOutcome.Busy.class);
	}

	@Test
	void busyAttemptDoesNotUseUpItsTick() {
		assumeTicks();
		LeaseGrant grant = acquire(first(), this.key, tick(TICK));
		attempt(second(), this.key, tick(NEXT_TICK));
		release(first(), grant);

		run(second(), NEXT_TICK);
	}

	@Test
	void doneAttemptLeavesTheLockFree() {
		assumeTicks();
		run(first(), TICK);
		assertDone(second(), TICK);

		assertFree(second(), this.key);
	}

	@Test
	void attemptWithoutTickAsksForNoneAndTouchesNone() {
		assumeTicks();
		run(first(), TICK);

		assertFree(second(), this.key);

		assertDone(second(), TICK);
		run(second(), NEXT_TICK);
	}

	@Test
	void tickOutlivesExpiryAndForcedRelease() {
		assumeTicks();
		acquire(first(), this.key, request(OwnerId.random(), briefTtl(), 1, TICK));
		letExpire(first(), briefTtl());
		assertDone(second(), TICK);
		acquire(second(), this.key, tick(NEXT_TICK));

		get(second().forceRelease(this.key, Duration.ZERO));

		assertDone(third(), NEXT_TICK);
	}

	@Test
	void ticksOfOtherKeysAreOthers() {
		assumeTicks();
		run(first(), TICK);

		LeaseGrant other = acquire(first(), newKey(), tick(TICK));

		assertStands(first(), other);
	}

	@Test
	void tickOfACrowdIsGrantedOnce() {
		assumeTicks();
		for (int round = 0; round < 20; round++) {
			Instant tick = TICK.plusSeconds(round);

			long runs = Crowd.of(12).map((index) -> {
				ContractClient client = client(index % 3);
				AttemptOutcome outcome = attempt(client, this.key, tick(tick));
				return outcome instanceof AttemptOutcome.Granted granted && release(client, granted.grant());
			}).stream().filter(Boolean::booleanValue).count();

			assertThat(runs).isBetween(canSplitVotes() ? 0L : 1L, 1L);
		}
	}

	private void run(BackendConnection client, Instant tick) {
		assertThat(release(client, acquire(client, this.key, tick(tick)))).isTrue();
	}

	private void assertDone(BackendConnection client, Instant tick) {
		assertThat(attempt(client, this.key, tick(tick))).as("an attempt for tick %s, which has run", tick)
			.isInstanceOf(AttemptOutcome.Done.class);
	}

	private LeaseRequest tick(Instant tick) {
		return request(OwnerId.random(), longTtl(), 1, tick);
	}

	private void assumeTicks() {
		assumeThat(first().traits().ticks()).as("whether this store honours ticks").isTrue();
	}

}
