package io.distributedlock.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

import org.springframework.util.FileSystemUtils;

import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.mariadb.MariaDbServer;
import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.process.JavaProcesses;

/**
 * Measures the throughput of several threads on one key, with and without hand-over
 * inside a JVM. Uses PostgreSQL, or {@code mariadb} or {@code h2} if the first argument
 * names it. Prints the figures without judging them.
 */
public final class HotKeyMeasurement {

	private static final String NONE_PASSED_ON = "--lock.handover.max-count=0";

	private HotKeyMeasurement() {
	}

	public static void main(String[] args) throws Exception {
		ClusterStore store = switch ((args.length > 0) ? args[0] : "postgresql") {
			case "postgresql" -> ClusterStore.jdbc(PostgresServer.url(), "postgres");
			case "mariadb" -> ClusterStore.jdbc(MariaDbServer.url(), "root");
			default -> H2ClusterIntegrationTests.store(new JavaProcesses(), Files.createTempDirectory("hot-key-h2"));
		};
		measure(store, "1 JVM x 8 threads, passing on", ClusterPlan.hotKey(1, 8));
		measure(store, "1 JVM x 8 threads, not passing on", ClusterPlan.hotKey(1, 8).with(NONE_PASSED_ON));
		measure(store, "2 JVMs x 8 threads, passing on", ClusterPlan.hotKey(2, 8));
		measure(store, "2 JVMs x 8 threads, not passing on", ClusterPlan.hotKey(2, 8).with(NONE_PASSED_ON));
	}

	private static void measure(ClusterStore store, String name, ClusterPlan plan) throws Exception {
		Path folder = Files.createTempDirectory("hot-key");
		Run run = new Cluster(new JavaProcesses(), folder, store, plan.with("--cluster.fault=COUNTED")).run();
		long grants = run.report().allGrants();
		// All JVMs were working by then.
		long counted = run.leases().stream().filter((lease) -> lease.grantedAt() > run.disturbedUntil()).count();
		System.out.printf("%s: %d grants/s, %.3f statements/grant; %s%n", name,
				counted * 1000 / plan.duration().toMillis(), (double) run.statements() / grants, run.report());
		FileSystemUtils.deleteRecursively(folder);
	}

}
