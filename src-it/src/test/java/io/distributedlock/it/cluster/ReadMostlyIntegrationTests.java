package io.distributedlock.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.LockMode;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.mariadb.MariaDbServer;
import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests with two JVMs of eight threads and one key, with 95 % readers. All of them are
 * granted. Prints how many grants there are beside the same run with exclusive locks.
 */
class ReadMostlyIntegrationTests {

	private static final int READERS_PER_WRITER = 19;

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void readersAndWritersAreAllGrantedOnPostgres() throws Exception {
		compare("PostgreSQL", ClusterStore.jdbc(PostgresServer.url(), "postgres"));
	}

	@Test
	@FurtherTopology
	void readersAndWritersAreAllGrantedOnMariaDb() throws Exception {
		compare("MariaDB", ClusterStore.jdbc(MariaDbServer.url(), "root"));
	}

	@Test
	@FurtherTopology
	void readersAndWritersAreAllGrantedOnH2() throws Exception {
		compare("H2", H2ClusterIntegrationTests.store(this.processes, this.folder));
	}

	@Test
	@FurtherTopology
	void readersAndWritersAreAllGrantedOnRedis() throws Exception {
		compare("Redis", ClusterStore.redis(RedisServer.port()));
	}

	@Test
	@FurtherTopology
	void readersAndWritersAreAllGrantedOnSeveralRedisNodes() throws Exception {
		compare("three Redis nodes",
				ClusterStore.redlock(RedlockServers.shared().first(3).ports(), Duration.ofSeconds(10))
					.with("--lock.redlock.quarantine-on-empty=false"));
	}

	@Test
	@FurtherTopology
	void readersAndWritersAreAllGrantedOnZooKeeper() throws Exception {
		compare("ZooKeeper", ClusterStore.zookeeper(ZooKeeperServer.connectString()));
	}

	@Test
	@FurtherTopology
	void readersAndWritersAreAllGrantedOnEtcd() throws Exception {
		assumeThat(EtcdServer.isThereFor(getClass())).isTrue();
		compare("etcd", ClusterStore.etcd(List.of(EtcdServer.url())));
	}

	private void compare(String name, ClusterStore store) throws Exception {
		List<RequestedMode> modes = new ArrayList<>(Collections.nCopies(READERS_PER_WRITER, RequestedMode.SHARED));
		modes.add(RequestedMode.EXCLUSIVE);

		Run mixed = run("shared", store, modes);
		Run exclusive = run("exclusive", store, List.of(RequestedMode.EXCLUSIVE));

		System.out.printf(
				"== 95 %% readers on %s: %.0f grants/s, exclusive %.0f grants/s, ratio %.1f;"
						+ " longest wait of a writer %d ms, of a reader %d ms, exclusive %d ms%n",
				name, mixed.grantsPerSecond(), exclusive.grantsPerSecond(),
				mixed.grantsPerSecond() / exclusive.grantsPerSecond(), mixed.longestWait(LockMode.EXCLUSIVE).toMillis(),
				mixed.longestWait(LockMode.SHARED).toMillis(), exclusive.longestWait(LockMode.EXCLUSIVE).toMillis());
		assertThat(mixed.leases()).extracting((lease) -> lease.mode().mode())
			.contains(LockMode.SHARED, LockMode.EXCLUSIVE);
	}

	private Run run(String name, ClusterStore store, List<RequestedMode> modes) throws Exception {
		ClusterPlan plan = ClusterPlan.patient(2, 8, modes);
		Path own = Files.createDirectory(this.folder.resolve(name));
		Run run = new Cluster(this.processes, own, store, plan).run();
		System.out
			.println(getClass().getSimpleName() + ", " + name + ": " + run.report() + "; " + run.faults() + " faults");
		assertThat(run.report().violations()).isEmpty();
		assertThat(run.refusals()).isEmpty();
		assertThat(run.report().grants()).hasSize(plan.jvms());
		return run;
	}

}
