package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The check finds what is broken on purpose.
 */
class PlantedFaultIntegrationTests {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void releaseThatDoesNotAskWhoTheOwnerIsLetsTwoHoldALock() throws Exception {
		ClusterReport report = run(PlantedFault.RELEASE_WITHOUT_OWNER, Duration.ofSeconds(2));

		assertThat(report.overlaps()).isNotEmpty();
	}

	@Test
	void repeatedReleaseThatAsksWhoTheOwnerIsDoesNoHarm() throws Exception {
		ClusterReport report = run(PlantedFault.RELEASE_TWICE, Duration.ofSeconds(2));

		assertThat(report.violations()).isEmpty();
		assertThat(report.allGrants()).isPositive();
	}

	@Test
	void clockOfATransactionThatBeganBeforeLetsTwoHoldALock() throws Exception {
		ClusterReport report = run(PlantedFault.CLOCK_OF_OLD_TRANSACTIONS, Duration.ofMillis(300));

		assertThat(report.overlaps()).isNotEmpty();
	}

	@Test
	void clockOfTheStatementKeepsTransactionsThatBeganBeforeApart() throws Exception {
		ClusterReport report = run(PlantedFault.OLD_TRANSACTIONS, Duration.ofMillis(300));

		assertThat(report.violations()).isEmpty();
		assertThat(report.allGrants()).isPositive();
	}

	/**
	 * A short ttl makes time-outs so short that the first call may not come back in time.
	 */
	private ClusterReport run(PlantedFault fault, Duration ttl) throws Exception {
		ClusterPlan plan = ClusterPlan.small(2, 4, 1, ttl)
			.with("--cluster.fault=" + fault, "--lock.jdbc.notifications=off", "--lock.fail-fast=false");
		ClusterStore store = ClusterStore.jdbc(PostgresServer.url(), "postgres");
		ClusterReport report = new Cluster(this.processes, this.folder, store, plan).run().report();
		System.out.println(fault + ": " + report);
		return report;
	}

}
