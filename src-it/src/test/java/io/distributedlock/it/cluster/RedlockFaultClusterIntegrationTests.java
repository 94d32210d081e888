package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.redlock.RedlockServers;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with four JVMs on five nodes, of which at most two at a time are killed, paused
 * or cut off, at random.
 */
class RedlockFaultClusterIntegrationTests {

	private static final int NODES = 5;

	private static final Duration TTL = Duration.ofSeconds(2);

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	private final RedlockServers servers = RedlockServers.start(NODES, "--appendonly", "yes", "--appendfsync",
			"always");

	private final List<TcpProxy> ways = this.servers.all()
		.stream()
		.map((server) -> TcpProxy.to(server.port()))
		.toList();

	@AfterEach
	void end() {
		this.ways.forEach(TcpProxy::close);
		this.servers.kill();
	}

	@Test
	void noTwoHoldersHaveALockWhateverHappensToAMinorityOfNodes() throws Exception {
		long seed = Long.getLong("lock.test.seed", System.nanoTime());
		NodeTrouble trouble = new NodeTrouble(this.servers, this.ways, ClusterPlan.full().duration(), NODES / 2, seed);
		ClusterPlan plan = ClusterPlan.full().with(trouble);
		ClusterStore store = ClusterStore.redlock(this.ways.stream().map(TcpProxy::port).toList(), TTL);

		Run run = new Cluster(this.processes, this.folder, store, plan).run();

		System.out.println(getClass().getSimpleName() + ": " + run.report() + "; " + run.faults()
				+ " faults; longest time without a grant " + run.longestSilence().toMillis() + " ms; trouble "
				+ trouble.done() + "; seed " + seed);
		assertThat(run.report().violations()).as("with seed %d", seed).isEmpty();
		assertThat(trouble.done()).isNotEmpty();
		assertThat(run.report().grants()).hasSize(plan.jvms());
		assertThat(run.keysGrantedLater()).as("with seed %d", seed).isEqualTo(plan.keys());
	}

}
