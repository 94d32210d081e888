package io.distributedlock.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.redis.CommandStats;
import io.distributedlock.it.redis.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the requests to Redis of a crowd in two JVMs that waits for one lock. Only
 * the first waiter of each JVM's queue sends requests.
 */
class RedisCrowdClusterIntegrationTests {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void hundredWaitersOfTwoJvmsAskNoMoreForAGrantThanFourDo() throws Exception {
		double few = scriptsPerGrant("few", 2);
		double many = scriptsPerGrant("many", 50);

		System.out.printf("== scripts per grant, two JVMs: 2 threads each %.3f, 50 threads each %.3f%n", few, many);
		// An attempt of each JVM, one more when the lock is free, a release.
		assertThat(many).isLessThan(6);
		// A few more polls, if the crowd takes longer.
		assertThat(many).isLessThan(few * 2 + 0.5);
	}

	/**
	 * Hand-over is off, because a crowd would send hardly any request with it.
	 */
	private double scriptsPerGrant(String name, int threads) throws Exception {
		ClusterPlan plan = ClusterPlan.hotKey(2, threads).with("--lock.handover.max-count=0");
		CommandStats before = CommandStats.of(RedisServer.lettuce());

		Path own = Files.createDirectory(this.folder.resolve(name));
		Run run = new Cluster(this.processes, own, ClusterStore.redis(RedisServer.port()), plan).run();

		System.out.println(getClass().getSimpleName() + ", " + threads + " threads each: " + run.report());
		assertThat(run.report().violations()).isEmpty();
		assertThat(run.report().grants()).hasSize(2);
		return (double) CommandStats.of(RedisServer.lettuce()).since(before).calls("evalsha")
				/ run.report().allGrants();
	}

}
