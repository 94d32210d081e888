package io.distributedlock.backend.jdbc;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Names of channels.
 */
class NotificationChannelTests {

	@Test
	void tableHasOneChannelHoweverItIsWritten() {
		assertThat(NotificationChannel.of("App.Locks")).isEqualTo("locks").isEqualTo(NotificationChannel.of("locks"));
	}

	@Test
	void longNamesAreCutToWhatTheDatabaseTakesAndStayApart() {
		String first = NotificationChannel.of("ä".repeat(40) + "1");
		String second = NotificationChannel.of("ä".repeat(40) + "2");

		assertThat(first).hasSizeLessThanOrEqualTo(63).matches("\\w+").isNotEqualTo(second);
	}

}
