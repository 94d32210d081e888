package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

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

	private ClusterReport runUntilLocksOverlap(PlantedFault fault, Duration ttl) throws Exception {
		return run(fault, ttl, (jvms) -> {
			Disturbance.awaitAtMost(Duration.ofMinutes(1), () -> !overlaps(jvms).isEmpty());
			return System.nanoTime();
		});
	}

	/**
	 * Logs are read one after another. So only leases that have ended are known
	 * completely enough to compare others with them.
	 */
	private List<String> overlaps(List<JavaProcess> jvms) throws Exception {
		List<LeaseTrace> ended = Cluster.leases(this.folder, jvms)
			.stream()
			.filter((lease) -> lease.end() != null)
			.toList();
		return ClusterLogChecker.check(ended, Map.of()).overlaps();
	}

	private ClusterReport run(PlantedFault fault, Duration ttl, Disturbance disturbance) throws Exception {
		ClusterPlan plan = ClusterPlan.small(2, 4, 1, ttl)
			.with("--cluster.fault=" + fault, "--lock.jdbc.notifications=off")
			.with(disturbance);
		ClusterStore store = ClusterStore.jdbc(PostgresServer.url(), "postgres");
		ClusterReport report = new Cluster(this.processes, this.folder, store, plan).run().report();
		System.out.println(fault + ": " + report);
		return report;
	}

}
