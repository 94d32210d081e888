package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the check finds planted faults.
 */
class PlantedFaultIntegrationTests {

	private static final Duration A_WHILE = Duration.ofSeconds(5);

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void releaseThatDoesNotAskWhoTheOwnerIsLetsTwoHoldALock() throws Exception {
		ClusterReport report = runUntilLocksOverlap(PlantedFault.RELEASE_WITHOUT_OWNER, Duration.ofSeconds(2));

		assertThat(report.overlaps()).isNotEmpty();
	}

	@Test
	void repeatedReleaseThatAsksWhoTheOwnerIsDoesNoHarm() throws Exception {
		ClusterReport report = run(PlantedFault.RELEASE_TWICE, Duration.ofSeconds(2), Disturbance.none(A_WHILE));

		assertThat(report.violations()).isEmpty();
		assertThat(report.allGrants()).isPositive();
	}

	@Test
	void clockOfATransactionThatBeganBeforeLetsTwoHoldALock() throws Exception {
		ClusterReport report = runUntilLocksOverlap(PlantedFault.CLOCK_OF_OLD_TRANSACTIONS, Duration.ofMillis(300));

		assertThat(report.overlaps()).isNotEmpty();
	}

	@Test
	void clockOfTheStatementKeepsTransactionsThatBeganBeforeApart() throws Exception {
		ClusterReport report = run(PlantedFault.OLD_TRANSACTIONS, Duration.ofMillis(300), Disturbance.none(A_WHILE));

		assertThat(report.violations()).isEmpty();
		assertThat(report.allGrants()).isPositive();
	}

	@Test
	void countThatIsOlderThanTheLockOnItsRowExceedsThePermits() throws Exception {
		ClusterReport report = runGroups(PlantedFault.COUNT_OF_THE_SNAPSHOT, "PERMITS-2",
				until((found) -> !found.excesses().isEmpty()));

		assertThat(report.excesses()).isNotEmpty();
	}

	@Test
	void releaseOfOneReaderThatEndsTheGroupLetsAWriterBesideTheOthers() throws Exception {
		ClusterReport report = runGroups(PlantedFault.RELEASE_OF_ONE_READER_FOR_ALL, "SHARED,SHARED,SHARED,EXCLUSIVE",
				until((found) -> !found.overlaps().isEmpty()));

		assertThat(report.overlaps()).isNotEmpty();
	}

	private ClusterReport runGroups(PlantedFault fault, String modes, Disturbance disturbance) throws Exception {
		return run(fault,
				ClusterPlan.small(3, 4, 1, Duration.ofSeconds(2))
					.with("--cluster.fault=" + fault, "--cluster.modes.key-0=" + modes)
					.with(disturbance));
	}

	private ClusterReport runUntilLocksOverlap(PlantedFault fault, Duration ttl) throws Exception {
		return run(fault, ttl, until((found) -> !found.overlaps().isEmpty()));
	}

	private Disturbance until(Predicate<ClusterReport> isFound) {
		return (jvms) -> {
			Disturbance.awaitAtMost(Duration.ofMinutes(1), () -> isFound.test(soFar(jvms)));
			return System.nanoTime();
		};
	}

	/**
	 * Logs are read one after another. So only leases that have ended are known
	 * completely enough to compare others with them.
	 */
	private ClusterReport soFar(List<JavaProcess> jvms) throws Exception {
		List<LeaseTrace> ended = Cluster.leases(this.folder, jvms)
			.stream()
			.filter((lease) -> lease.end() != null)
			.toList();
		return ClusterLogChecker.check(ended, Map.of());
	}

	private ClusterReport run(PlantedFault fault, Duration ttl, Disturbance disturbance) throws Exception {
		return run(fault,
				ClusterPlan.small(2, 4, 1, ttl)
					.with("--cluster.fault=" + fault, "--lock.jdbc.notifications=off")
					.with(disturbance));
	}

	private ClusterReport run(PlantedFault fault, ClusterPlan plan) throws Exception {
		ClusterStore store = ClusterStore.jdbc(PostgresServer.url(), "postgres");
		ClusterReport report = new Cluster(this.processes, this.folder, store, plan).run().report();
		System.out.println(fault + ": " + report);
		return report;
	}

}
