package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.etcd.EtcdServer;
import io.distributedlock.it.mariadb.MariaDbServer;
import io.distributedlock.it.postgres.PostgresServer;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.redis.RedisCluster;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.it.redlock.RedlockServers;
import io.distributedlock.it.zookeeper.ZooKeeperServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests with two JVMs whose threads request sets of keys in opposite orders, in turn with
 * single keys. All requests are granted within their wait time, no two of them hold a key
 * at once, and nothing is left at the store. Each store gets {@code -Dlock.test.rounds}
 * of sets.
 */
@Tag(LockBackendContract.HISTORIES)
class OppositeOrdersIntegrationTests {

	private static final int SETS = Integer.getInteger("lock.test.rounds", 400);

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void allAreGrantedOnRedis() throws Exception {
		run("Redis", ClusterStore.redis(RedisServer.port()));
	}

	@Test
	@FurtherTopology
	void allAreGrantedInOneSlotOfARedisCluster() throws Exception {
		run("one slot of a Redis Cluster", ClusterStore.redisCluster(RedisCluster.ports()),
				ClusterPlan.keys(4).stream().map((key) -> RedisCluster.keyInSlotOf(key, "key-0")).toList());
	}

	@Test
	@FurtherTopology
	void allAreGrantedInSeveralSlotsOfARedisCluster() throws Exception {
		run("several slots of a Redis Cluster", ClusterStore.redisCluster(RedisCluster.ports()));
	}

	@Test
	@FurtherTopology
	void allAreGrantedOnSeveralRedisNodes() throws Exception {
		run("three Redis nodes", ClusterStore.redlock(RedlockServers.shared().first(3).ports(), Duration.ofSeconds(10))
			.with("--lock.redlock.quarantine-on-empty=false"));
	}

	@Test
	void allAreGrantedOnZooKeeper() throws Exception {
		run("ZooKeeper", ClusterStore.zookeeper(ZooKeeperServer.connectString()));
	}

	@Test
	@FurtherTopology
	void allAreGrantedOnEtcd() throws Exception {
		assumeThat(EtcdServer.isThereFor(getClass())).isTrue();
		run("etcd", ClusterStore.etcd(List.of(EtcdServer.url())));
	}

	@Test
	@FurtherTopology
	void allAreGrantedOnPostgres() throws Exception {
		run("PostgreSQL", ClusterStore.jdbc(PostgresServer.url(), "postgres"));
	}

	@Test
	@FurtherTopology
	void allAreGrantedOnMariaDb() throws Exception {
		run("MariaDB", ClusterStore.jdbc(MariaDbServer.url(), "root"));
	}

	@Test
	@FurtherTopology
	void allAreGrantedOnH2() throws Exception {
		run("H2", H2ClusterIntegrationTests.store(this.processes, this.folder));
	}

	private void run(String name, ClusterStore store) throws Exception {
		run(name, store, ClusterPlan.keys(4));
	}

	private void run(String name, ClusterStore store, List<String> keys) throws Exception {
		ClusterPlan plan = ClusterPlan.oppositeOrders(2, 4, keys, SETS);
		Cluster cluster = new Cluster(this.processes, this.folder, store, plan);

		Run run = cluster.run();

		System.out
			.println("== " + SETS + " sets of keys on " + name + ": " + run.report() + "; " + run.faults() + " faults");
		assertThat(run.report().violations()).isEmpty();
		assertThat(run.refusals()).isEmpty();
		assertThat(run.report().grants()).hasSize(plan.jvms());
		assertThat(cluster.leftovers()).isEmpty();
	}

}
