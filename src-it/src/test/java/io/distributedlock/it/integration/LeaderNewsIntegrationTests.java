package io.distributedlock.it.integration;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderNews}.
 */
class LeaderNewsIntegrationTests {

	@Test
	void leadersThatFollowEachOtherAreNotBesideEachOther() {
		List<LeaderNews> news = news("one granted s 1 10", "one led s 1 11 19", "one revoked s 1 20",
				"other granted s 2 30", "other led s 2 31 39", "other revoked s 2 40");

		assertThat(overlaps(news)).isEmpty();
	}

	@Test
	void leadersThatWereSeenAtOnceAreFound() {
		List<LeaderNews> news = news("one led s 1 11 31", "other led s 2 31 39");

		assertThat(overlaps(news)).hasSize(1);
	}

	@Test
	void leaderThatWasNotifiedTooLateIsFoundUnlessItIsExcused() {
		List<LeaderNews> news = news("one granted s 1 10", "one revoked s 1 30", "other granted s 2 20");

		assertThat(overlaps(news)).hasSize(1);
		assertThat(LeaderNews.overlaps(news, (one, other) -> one.jvm().equals("one"))).isEmpty();
	}

	@Test
	void excuseDoesNotHideWhatWasSeen() {
		List<LeaderNews> news = news("one led s 1 10 30", "other led s 2 20 40");

		assertThat(LeaderNews.overlaps(news, (one, other) -> true)).hasSize(1);
	}

	@Test
	void leaderIsWhoWasGrantedTheRoleAndNotRevokedSince() {
		assertThat(LeaderNews.leader(news("one granted s 1 10", "one revoked s 1 20", "one granted s 1 30")))
			.map(LeaderNews::at)
			.hasValue(30L);
		assertThat(LeaderNews.leader(news("one granted s 1 10", "one revoked s 1 20"))).isEmpty();
	}

	@Test
	void leaderThatWasKilledHasEnded() {
		List<LeaderNews> news = news("one granted s 1 10", "other granted s 2 20");

		assertThat(overlaps(LeaderNews.endedBy("one", 15, news))).isEmpty();
		assertThat(overlaps(LeaderNews.endedBy("one", 25, news))).hasSize(1);
	}

	private static List<String> overlaps(List<LeaderNews> news) {
		return LeaderNews.overlaps(news, (one, other) -> false);
	}

	private static List<LeaderNews> news(String... lines) {
		return Stream.of(lines)
			.map((line) -> line.split(" ", 2))
			.map((words) -> LeaderNews.parse(words[0], words[1]))
			.flatMap(Optional::stream)
			.toList();
	}

}
