package io.distributedlock.backend.notification;

import java.time.Duration;

import org.junit.jupiter.api.RepeatedTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how long waiters wait. Each test runs often, because delays are random.
 */
class PollDelayTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final PollDelay delay = new PollDelay();

	@RepeatedTest(20)
	void notifiedWaiterPollsSoonAfterTheExpiry() {
		assertThat(this.delay.notified(Duration.ofMillis(300))).isGreaterThan(Duration.ofMillis(300))
			.isLessThanOrEqualTo(Duration.ofMillis(350));
	}

	@RepeatedTest(20)
	void notifiedWaiterPollsAfterFiveSecondsAtTheLatest() {
		assertThat(this.delay.notified(LONG)).isEqualTo(Duration.ofSeconds(5)).isLessThan(PollDelay.MARK);
	}

	@RepeatedTest(20)
	void delaysOfAWaiterThatIsNotNotifiedGrowUpToASecond() {
		long most = 20;
		for (int i = 0; i < 10; i++) {
			assertThat(this.delay.unnotified(LONG)).isBetween(Duration.ofMillis(most / 2), Duration.ofMillis(most));
			most = Math.min(1000, most * 2);
		}
	}

	@RepeatedTest(20)
	void delayEndsWithTheLease() {
		for (int i = 0; i < 10; i++) {
			assertThat(this.delay.unnotified(Duration.ofMillis(5))).isEqualTo(Duration.ofMillis(6));
		}
	}

	@RepeatedTest(20)
	void delayIsASixthToAThirdOfTheAge() {
		assertThat(this.delay.ofAge(Duration.ZERO)).isBetween(Duration.ofMillis(10), Duration.ofMillis(20));
		assertThat(this.delay.ofAge(Duration.ofMillis(600))).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));
		assertThat(this.delay.ofAge(LONG)).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
	}

	@RepeatedTest(20)
	void delayByAgeIsAtMostThePlannedOne() {
		Duration age = Duration.ZERO;
		for (int i = 0; i < 20; i++) {
			Duration planned = this.delay.planned();
			Duration next = this.delay.unnotified(LONG, age);
			assertThat(next).isPositive().isLessThanOrEqualTo(planned);
			age = age.plus(next);
		}
		assertThat(age).isGreaterThan(Duration.ofMillis(300));
	}

	@RepeatedTest(20)
	void delayByAgeEndsWithTheLease() {
		assertThat(this.delay.unnotified(Duration.ofMillis(3), LONG)).isEqualTo(Duration.ofMillis(3));
	}

}
