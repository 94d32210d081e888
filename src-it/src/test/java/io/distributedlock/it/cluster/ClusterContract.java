package io.distributedlock.it.cluster;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.contract.LockBackendContract;
import io.distributedlock.it.cluster.Cluster.Run;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of every store with several JVMs, one of which is killed.
 */
@Tag(LockBackendContract.HISTORIES)
abstract class ClusterContract {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	abstract ClusterStore store() throws Exception;

	@Test
	void noTwoHoldersHaveALockWhateverJvmIsKilled() throws Exception {
		ClusterPlan plan = ClusterPlan.full();

		Run run = new Cluster(this.processes, this.folder, store(), plan).run();

		System.out.println(getClass().getSimpleName() + ": " + run.report() + "; " + run.faults() + " faults");
		assertThat(run.report().violations()).isEmpty();
		assertThat(run.report().grants()).hasSize(plan.jvms());
		assertThat(run.keysGrantedLater()).isEqualTo(plan.keys());
	}

}
