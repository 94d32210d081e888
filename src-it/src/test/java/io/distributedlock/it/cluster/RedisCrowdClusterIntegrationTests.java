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
 * What a crowd of two JVMs that waits for one lock asks of Redis: only the first of each
 * JVM's queue talks to it.
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
		// Some polls more, where the crowd takes longer.
		assertThat(many).isLessThan(few * 2 + 0.5);
	}

	/**
	 * Leases are not passed on, or a crowd would hardly ask at all.
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
