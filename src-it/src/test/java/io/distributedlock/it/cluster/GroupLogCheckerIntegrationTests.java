package io.distributedlock.it.cluster;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.distributedlock.it.cluster.LeaseTrace.End;
import io.distributedlock.it.cluster.LeaseTrace.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the check of a cluster's log knows the rules of groups.
 */
class GroupLogCheckerIntegrationTests {

	private static final RequestedMode WRITER = RequestedMode.EXCLUSIVE;

	private static final RequestedMode READER = RequestedMode.SHARED;

	private static final RequestedMode ONE_OF_TWO = RequestedMode.permits(2);

	private static final RequestedMode ONE_OF_FOUR = RequestedMode.permits(4);

	@Test
	void readersMayOverlapWithTokensInAnyOrder() {
		assertThat(
				check(lease(READER, 2, 100, 900), lease(READER, 1, 200, 300), lease(READER, 3, 250, 400)).violations())
			.isEmpty();
	}

	@Test
	void readerBesideAWriterIsAnOverlapWhicheverCameFirst() {
		assertThat(check(lease(WRITER, 1, 100, 300), lease(READER, 2, 299, 400)).overlaps()).hasSize(1);
		assertThat(check(lease(READER, 1, 100, 300), lease(WRITER, 2, 299, 400)).overlaps()).hasSize(1);
		assertThat(check(lease(READER, 1, 100, 300), lease(WRITER, 2, 300, 400)).violations()).isEmpty();
	}

	@Test
	void writerBesideTheLongestOfSeveralReadersIsAnOverlap() {
		assertThat(check(lease(READER, 1, 100, 900), lease(READER, 2, 200, 300), lease(WRITER, 3, 400, 500)).overlaps())
			.hasSize(1);
	}

	@Test
	void readerBesideAPermitIsAnOverlap() {
		assertThat(check(lease(READER, 1, 100, 300), lease(ONE_OF_TWO, 2, 299, 400)).overlaps()).hasSize(1);
	}

	@Test
	void asManyHoldersAsPermitsAreFine() {
		assertThat(check(lease(ONE_OF_TWO, 1, 100, 900), lease(ONE_OF_TWO, 2, 200, 300), lease(ONE_OF_TWO, 3, 300, 400),
				lease(ONE_OF_TWO, 4, 400, 500))
			.violations()).isEmpty();
	}

	@Test
	void oneHolderMoreThanPermitsIsFoundWhateverTheOrderOfTheirTokens() {
		assertThat(check(lease(ONE_OF_TWO, 1, 100, 900), lease(ONE_OF_TWO, 2, 200, 301), lease(ONE_OF_TWO, 3, 300, 400))
			.excesses()).singleElement().asString().contains("token 1", "token 2", "token 3");
		assertThat(check(lease(ONE_OF_TWO, 3, 100, 900), lease(ONE_OF_TWO, 2, 200, 301), lease(ONE_OF_TWO, 1, 300, 400))
			.excesses()).hasSize(1);
	}

	@Test
	void numberOfALeaseIsComparedWithItsPredecessorsOnly() {
		assertThat(
				check(lease(ONE_OF_TWO, 1, 100, 900), lease(ONE_OF_FOUR, 2, 200, 900), lease(ONE_OF_FOUR, 3, 300, 900))
					.violations())
			.isEmpty();
		// The holder of the first grant may be slower than those of the later ones.
		assertThat(
				check(lease(ONE_OF_TWO, 1, 300, 900), lease(ONE_OF_FOUR, 2, 200, 900), lease(ONE_OF_FOUR, 3, 100, 900))
					.violations())
			.isEmpty();
		assertThat(
				check(lease(ONE_OF_FOUR, 1, 100, 900), lease(ONE_OF_FOUR, 2, 200, 900), lease(ONE_OF_TWO, 3, 300, 900))
					.excesses())
			.hasSize(1);
	}

	@Test
	void permitOfAKilledHolderIsInUseAsLongAsItsGrantPromised() {
		LeaseTrace killed = new LeaseTrace("a", "key", 1, RequestedMode.permits(1), 100, 1100, 7, null);

		assertThat(check(killed, lease(RequestedMode.permits(1), 2, 1099, 1200)).excesses()).hasSize(1);
		assertThat(check(killed, lease(RequestedMode.permits(1), 2, 1100, 1200)).excesses()).isEmpty();
	}

	@Test
	void tokenOfAWriterHasToBeGreaterThanThoseOfEarlierReadersAndSmallerThanThoseOfLaterOnes() {
		assertThat(check(lease(READER, 2, 100, 200), lease(WRITER, 1, 300, 400)).disorders()).hasSize(1);
		assertThat(check(lease(WRITER, 2, 100, 200), lease(READER, 1, 300, 400)).disorders()).hasSize(1);
	}

	@Test
	void tokenOfTwoReadersIsADisorder() {
		assertThat(check(lease(READER, 1, 100, 200), lease(READER, 1, 150, 250)).disorders()).hasSize(1);
	}

	@Test
	void permitThatIsRequestedAfterTheEndOfAnotherNeedsAGreaterToken() {
		LeaseTrace ended = lease(ONE_OF_TWO, 2, 100, 200);

		assertThat(disorders(ended, lease(ONE_OF_TWO, 1, 208, 300))).hasSize(1);
		assertThat(disorders(ended, lease(ONE_OF_TWO, 1, 207, 300))).isEmpty();
		assertThat(disorders(ended, lease(ONE_OF_TWO, 3, 208, 300), lease(ONE_OF_TWO, 4, 400, 500))).isEmpty();
	}

	@Test
	void onlyExclusiveBodiesCount() {
		List<LeaseTrace> leases = List.of(lease(READER, 1, 100, 200), lease(WRITER, 2, 300, 400));

		assertThat(ClusterLogChecker.check(leases, Map.of("key", 1L)).miscounts()).isEmpty();
		assertThat(ClusterLogChecker.check(leases, Map.of("key", 2L)).miscounts()).hasSize(1);
	}

	private static ClusterReport check(LeaseTrace... leases) {
		return ClusterLogChecker.check(List.of(leases), Map.of());
	}

	private static List<String> disorders(LeaseTrace... leases) {
		return new PermitRules(List.of(leases)).disorders();
	}

	private static LeaseTrace lease(RequestedMode mode, long token, long grantedAt, long endedAt) {
		return new LeaseTrace("a", "key", token, mode, grantedAt, grantedAt + 1000, 7, new End(endedAt, Outcome.HELD));
	}

}
