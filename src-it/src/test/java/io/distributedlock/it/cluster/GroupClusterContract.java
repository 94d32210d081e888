package io.distributedlock.it.cluster;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.LockMode;
import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of every store for readers and permits in four JVMs, one of which is killed
 * and others stand still.
 */
@Tag(LockBackendContract.HISTORIES)
abstract class GroupClusterContract {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	abstract ClusterStore store() throws Exception;

	/**
	 * Return whether the store chooses a token during the request that it is for. In a
	 * line of waiters, a JVM uses the place of its earlier request.
	 */
	boolean tokensFollowRequests() {
		return true;
	}

	@Test
	void holdersNeverExceedThePermitsAndWritersAreAloneWhateverJvmIsKilledOrStandsStill() throws Exception {
		ClusterPlan calm = ClusterPlan.groups();
		long seed = Long.getLong("lock.test.seed", System.nanoTime());
		JvmTrouble trouble = new JvmTrouble(calm.duration(), calm.ttl(), seed);
		ClusterPlan plan = calm.with(trouble);

		Run run = new Cluster(this.processes, this.folder, store(), plan).run();

		System.out.println(getClass().getSimpleName() + ": " + run.report() + "; " + run.faults() + " faults; "
				+ trouble.done() + "; seed " + seed);
		assertThat(run.report().violations()).as("with seed %d", seed).isEmpty();
		if (tokensFollowRequests()) {
			assertThat(run.permitsOutOfOrder()).as("with seed %d", seed).isEmpty();
		}
		assertThat(run.report().grants()).hasSize(plan.jvms());
		assertThat(run.leases()).extracting((lease) -> lease.mode().mode()).contains(LockMode.values());
		assertThat(run.keysGrantedLater()).as("with seed %d", seed).isEqualTo(plan.keys());
	}

}
