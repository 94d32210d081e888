package io.distributedlock.backend.jdbc;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClosedDoor}.
 */
class ClosedDoorTests {

	private final ClosedDoor door = new ClosedDoor();

	@Test
	void withdrawalOpensWhatTheLatestAttemptHasClosedOnce() {
		this.door.begin();
		assertThat(this.door.record(true)).isFalse();

		assertThat(this.door.withdraw()).isTrue();
		assertThat(this.door.withdraw()).isFalse();
	}

	@Test
	void withdrawalOpensNothingIfTheLatestAttemptHasMetAnExclusiveHolder() {
		this.door.begin();
		this.door.record(true);
		this.door.begin();
		this.door.record(false);

		assertThat(this.door.withdraw()).isFalse();
	}

	@Test
	void attemptThatEndsAfterTheWithdrawalOpensWhatItHasClosed() {
		this.door.begin();
		assertThat(this.door.withdraw()).isFalse();

		assertThat(this.door.record(true)).isTrue();
	}

	@Test
	void contenderThatNeverAttemptedOpensNothing() {
		assertThat(this.door.withdraw()).isFalse();
	}

}
