package io.distributedlock.it.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.it.sample.SampleInstance.Answer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the sample with one profile after the other, as the README suggests. The
 * stores count their tokens differently, and the orders remember them.
 */
@FurtherTopology
class SampleProfilesIntegrationTests {

	private static final List<String> JDBC = List.of();

	private static final List<String> REDIS = List.of("--spring.profiles.active=redis-local",
			"--spring.data.redis.port=" + FreePorts.next());

	private static final List<String> ZOOKEEPER = List.of("--spring.profiles.active=zookeeper-local",
			"--sample.zookeeper.port=" + FreePorts.next());

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	Path home;

	@Test
	void ordersCanBeChangedInEachOrderOfTheProfiles() throws Exception {
		assertThat(stockAfterReservation(JDBC)).isEqualTo(99);
		assertThat(stockAfterReservation(ZOOKEEPER)).isEqualTo(99);
		assertThat(stockAfterReservation(REDIS)).isEqualTo(99);
		assertThat(stockAfterReservation(ZOOKEEPER)).isEqualTo(98);
		assertThat(stockAfterReservation(JDBC)).isEqualTo(98);

		Path folder = this.home.resolve(".distributed-lock-sample");
		assertThat(folder).isDirectoryContaining("glob:**/orders-jdbc.mv.db");
		assertThat(Files.getPosixFilePermissions(folder)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
	}

	private int stockAfterReservation(List<String> profile) throws IOException, InterruptedException {
		JavaProcess launched = SampleInstance.launch(this.processes, "orders", this.home, SampleInstance.application(),
				profile);
		Answer reserved = SampleInstance.await(launched).post("/orders/1/reserve");
		launched.stop();
		assertThat(reserved.status()).as("%s: %s", profile, reserved.body()).isEqualTo(200);
		return reserved.read("$.stock");
	}

}
