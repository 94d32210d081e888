package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.redis.RedisProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with several JVMs and one Redis that stands still, or ends and comes back, for
 * its table of guarantees.
 */
class RedisFaultClusterIntegrationTests {

	private static final Duration QUARTER = ClusterPlan.full().duration().dividedBy(4);

	private static final Duration TTL = Duration.ofSeconds(2);

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void pauseBeyondTheTtlAndARestartWithAllDataNeverLetTwoHoldALock() throws Exception {
		try (RedisProcess server = RedisProcess.start("--appendonly", "yes", "--appendfsync", "always")) {
			Run run = run(server, (jvms) -> {
				Disturbance.pass(QUARTER);
				server.pause();
				Disturbance.pass(TTL.plusSeconds(1));
				Disturbance.awaitAtMost(Duration.ofMinutes(1), () -> Cluster.faults(jvms) > 0);
				server.resume();
				Disturbance.pass(QUARTER);
				server.kill();
				server.restart();
				long restartedAt = System.nanoTime();
				Disturbance.pass(QUARTER.multipliedBy(2));
				return restartedAt;
			});

			assertThat(run.report().violations()).isEmpty();
			// The server did stand still.
			assertThat(run.faults()).isPositive();
		}
	}

	/**
	 * Leases are lost with the data, so others get the locks before their holders notice
	 * it. But no token is repeated or out of order.
	 */
	@Test
	void restartWithoutDataKeepsTokensInOrder() throws Exception {
		try (RedisProcess server = RedisProcess.start()) {
			Run run = run(server, (jvms) -> {
				Disturbance.pass(QUARTER.multipliedBy(2));
				server.kill();
				server.restart();
				long restartedAt = System.nanoTime();
				Disturbance.pass(QUARTER.multipliedBy(2));
				return restartedAt;
			});

			assertThat(run.report().disorders()).isEmpty();
		}
	}

	private Run run(RedisProcess server, Disturbance disturbance) throws Exception {
		ClusterPlan plan = ClusterPlan.full().with(disturbance);
		Run run = new Cluster(this.processes, this.folder, ClusterStore.redis(server.port()), plan).run();
		System.out.println(getClass().getSimpleName() + ": " + run.report() + "; " + run.faults() + " faults");
		assertThat(run.report().grants()).hasSize(plan.jvms());
		assertThat(run.keysGrantedLater()).isEqualTo(plan.keys());
		return run;
	}

}
