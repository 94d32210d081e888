package io.distributedlock.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.cluster.LeaseTrace.End;
import io.distributedlock.it.cluster.LeaseTrace.Outcome;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterLogCheckerIntegrationTests {

	@Test
	void leasesOneAfterAnotherAreFine() {
		ClusterReport report = check(2, lease(1, 100, held(200)), lease(2, 200, held(300)));

		assertThat(report.violations()).isEmpty();
	}

	@Test
	void leaseThatBeginsBeforeAnotherEndsIsAnOverlap() {
		ClusterReport report = check(2, lease(1, 100, held(200)), lease(2, 199, held(300)));

		assertThat(report.overlaps()).singleElement().asString().contains("token 2").contains("token 1");
	}

	@Test
	void leaseInsideALongOneIsAnOverlapThoughAShortOneCameBetween() {
		ClusterReport report = check(3, lease(1, 100, held(900)), lease(2, 200, held(300)), lease(3, 400, held(500)));

		assertThat(report.overlaps()).hasSize(2);
	}

	@Test
	void leasesOfDifferentKeysMayOverlap() {
		LeaseTrace other = new LeaseTrace("b", "other", 1, RequestedMode.EXCLUSIVE, 100, 1100, 7, held(200));

		assertThat(ClusterLogChecker.check(List.of(lease(1, 100, held(200)), other), Map.of()).violations()).isEmpty();
	}

	@Test
	void lostLeaseCountsNoLongerThanItsGrantPromised() {
		LeaseTrace lost = lease(1, 100, new End(2000, Outcome.LOST));

		assertThat(check(2, lost, lease(2, 1100, held(1200))).overlaps()).isEmpty();
		assertThat(check(2, lost, lease(2, 1099, held(1200))).overlaps()).hasSize(1);
	}

	@Test
	void leaseOfAKilledHolderStandsAsLongAsItsGrantPromised() {
		assertThat(check(1, lease(1, 100, null), lease(2, 1100, held(1200))).overlaps()).isEmpty();
		assertThat(check(1, lease(1, 100, null), lease(2, 1099, held(1200))).overlaps()).hasSize(1);
	}

	@Test
	void leaseThatHadRunOutWhenItsHolderSawItIsNeitherOverlapNorDisorder() {
		LeaseTrace late = new LeaseTrace("a", "key", 1, RequestedMode.EXCLUSIVE, 250, 250, 7,
				new End(260, Outcome.LOST));

		assertThat(check(2, lease(2, 200, held(300)), late).violations()).isEmpty();
	}

	@Test
	void tokenThatIsNotGreaterThanAllEarlierOnesIsADisorder() {
		assertThat(check(2, lease(2, 100, held(200)), lease(2, 300, held(400))).disorders()).hasSize(1);
		assertThat(check(3, lease(3, 100, held(200)), lease(1, 300, held(400)), lease(2, 500, held(600))).disorders())
			.hasSize(2);
	}

	@Test
	void counterThatIsNotTheNumberOfBodiesIsWrong() {
		assertThat(check(1, lease(1, 100, held(200)), lease(2, 200, held(300))).miscounts()).hasSize(1);
		assertThat(check(3, lease(1, 100, held(200)), lease(2, 200, held(300))).miscounts()).hasSize(1);
	}

	@Test
	void killedOrFailedBodyMayHaveCountedOrNot() {
		LeaseTrace killed = lease(1, 100, null);
		LeaseTrace failed = lease(2, 1200, new End(1300, Outcome.FAILED));

		LongStream.rangeClosed(0, 2).forEach((count) -> assertThat(check(count, killed, failed).miscounts()).isEmpty());
		assertThat(check(3, killed, failed).miscounts()).hasSize(1);
	}

	@Test
	void counterOfAKeyWithALostLeaseIsNotJudged() {
		assertThat(check(7, lease(1, 100, new End(2000, Outcome.LOST))).miscounts()).isEmpty();
	}

	@Test
	void reportShowsGrantsByProcessAndTheLongestWait() {
		LeaseTrace other = new LeaseTrace("b", "key", 3, RequestedMode.EXCLUSIVE, 400, 1400, 9, held(500));

		ClusterReport report = check(3, lease(1, 100, held(200)), lease(2, 200, held(300)), other);

		assertThat(report.grants()).isEqualTo(Map.of("a", 2L, "b", 1L));
		assertThat(report.longestWait()).isEqualTo(Duration.ofNanos(9));
	}

	@Test
	void logIsReadWithTheEndOfEachLeaseThatHasOne(@TempDir Path folder) throws Exception {
		Files.writeString(folder.resolve("a.log"),
				"granted key 1 100 1100 7 EXCLUSIVE\nended key 1 200 HELD\ngranted key 2 300 1300 7 PERMITS-3\n");

		assertThat(ClusterLog.read(folder, "a")).containsExactly(lease(1, 100, held(200)),
				lease(RequestedMode.permits(3), 2, 300, null));
	}

	@Test
	void lineThatIsNotWholeIsNotRead(@TempDir Path folder) throws Exception {
		Files.writeString(folder.resolve("a.log"), "granted key 1 100 1100 7 EXCLUSIVE\ngranted key 2 300 13");

		assertThat(ClusterLog.read(folder, "a")).containsExactly(lease(1, 100, null));
		assertThat(ClusterLog.keysGrantedAfter(folder, "a", 99)).containsExactly("key");
		assertThat(ClusterLog.keysGrantedAfter(folder, "a", 100)).isEmpty();
	}

	@Test
	void jvmThatHasNotBegunHasNoLeases(@TempDir Path folder) throws Exception {
		assertThat(ClusterLog.read(folder, "a")).isEmpty();
	}

	@Test
	void tokenThatCameTwiceIsReadTwice(@TempDir Path folder) throws Exception {
		Files.writeString(folder.resolve("a.log"),
				"granted key 1 100 1100 7 SHARED\nended key 1 200 HELD\ngranted key 1 300 1300 7 SHARED\nended key 1 400 HELD\n");

		assertThat(ClusterLog.read(folder, "a")).containsExactly(lease(RequestedMode.SHARED, 1, 100, held(200)),
				lease(RequestedMode.SHARED, 1, 300, held(400)));
	}

	private static ClusterReport check(long counter, LeaseTrace... leases) {
		return ClusterLogChecker.check(List.of(leases), Map.of("key", counter));
	}

	private static LeaseTrace lease(long token, long grantedAt, @Nullable End end) {
		return lease(RequestedMode.EXCLUSIVE, token, grantedAt, end);
	}

	private static LeaseTrace lease(RequestedMode mode, long token, long grantedAt, @Nullable End end) {
		return new LeaseTrace("a", "key", token, mode, grantedAt, grantedAt + 1000, 7, end);
	}

	private static End held(long at) {
		return new End(at, Outcome.HELD);
	}

}
