package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.etcd.EtcdCluster;
import io.distributedlock.it.etcd.EtcdProcess;
import io.distributedlock.it.etcd.RequiresEtcd;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several JVMs and three members of etcd, one of which dies and comes back, or stands
 * still.
 */
@RequiresEtcd
@FurtherTopology
class EtcdFaultClusterIntegrationTests {

	private static final Duration QUARTER = ClusterPlan.full().duration().dividedBy(4);

	private static final Duration SESSION_TTL = Duration.ofSeconds(4);

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void leaderThatDiesAndComesBackNeverLetsTwoHoldALock() throws Exception {
		try (EtcdCluster members = EtcdCluster.start()) {
			assertNoViolations(members, (jvms) -> {
				Disturbance.pass(QUARTER);
				EtcdProcess leader = members.leader();
				leader.kill();
				Disturbance.pass(SESSION_TTL.multipliedBy(2));
				leader.restart();
				long restartedAt = System.nanoTime();
				Disturbance.pass(QUARTER.multipliedBy(2));
				return restartedAt;
			});
		}
	}

	@Test
	void leaderThatStandsStillForLongerThanSessionsLiveNeverLetsTwoHoldALock() throws Exception {
		try (EtcdCluster members = EtcdCluster.start()) {
			assertNoViolations(members, (jvms) -> {
				Disturbance.pass(QUARTER);
				EtcdProcess leader = members.leader();
				leader.pause();
				Disturbance.pass(SESSION_TTL.multipliedBy(2));
				leader.resume();
				long resumedAt = System.nanoTime();
				Disturbance.pass(QUARTER.multipliedBy(2));
				return resumedAt;
			});
		}
	}

	private void assertNoViolations(EtcdCluster members, Disturbance disturbance) throws Exception {
		ClusterPlan plan = ClusterPlan.full().with(disturbance);
		Run run = new Cluster(this.processes, this.folder, ClusterStore.etcd(members.urls()), plan).run();
		System.out.println(getClass().getSimpleName() + ": " + run.report() + "; " + run.faults() + " faults");
		assertThat(run.report().violations()).isEmpty();
		assertThat(run.report().grants()).hasSize(plan.jvms());
		assertThat(run.keysGrantedLater()).isEqualTo(plan.keys());
	}

}
