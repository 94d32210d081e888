package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.Arrays;

import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.HistoryPlan.Sabotage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many waiters that are notified of a release together often split the votes, so that no
 * waiter has a majority. They have to try again soon instead of waiting for one another.
 */
class SplitVoteTests {

	private static final int RACES = 60;

	private static final int WAITERS = 30;

	@Test
	void waitersThatSplitTheVotesMeetAgainSoon() {
		assertThat(waits(Sabotage.none())[RACES - 1]).isLessThan(500);
	}

	@Test
	void waitersThatTakeASplitVoteForOneHolderSleepUntilALeaseWithoutHolderIsOver() {
		long[] waits = waits(
				Sabotage.none()
					.withWrap((node) -> ChangedNode.of(node)
						.withVotes((vote) -> (vote instanceof NodeVote.Busy busy)
								? new NodeVote.Busy(busy.restMillis(), busy.counter(), "somebody", busy.index())
								: vote)));

		assertThat(waits[RACES - 1]).isGreaterThan(2_000);
	}

	/**
	 * Return the duration of each race in milliseconds, from the shortest to the longest.
	 */
	private static long[] waits(Sabotage sabotage) {
		long[] waits = new long[RACES];
		for (int seed = 0; seed < RACES; seed++) {
			Duration wait = HerdRace.run(seed, 3 + 2 * (seed % 3), WAITERS, sabotage);
			assertThat(wait).as("seed %d", seed).isPositive();
			waits[seed] = wait.toMillis();
		}
		Arrays.sort(waits);
		System.out.println("ms from release to grant: median " + waits[RACES / 2] + ", longest " + waits[RACES - 1]
				+ ", all " + Arrays.toString(waits));
		return waits;
	}

}
