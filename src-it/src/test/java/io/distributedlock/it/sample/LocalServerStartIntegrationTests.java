package io.distributedlock.it.sample;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.distributedlock.it.net.FreePorts;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances of the sample that start at the same moment, and of which one has to start
 * the server of the locks.
 */
class LocalServerStartIntegrationTests {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	@TempDir
	Path home;

	@Test
	void oneOfTwoInstancesStartsZooKeeper() throws IOException, InterruptedException {
		startTogether("ZooKeeper", "--spring.profiles.active=zookeeper-local",
				"--sample.zookeeper.port=" + FreePorts.next());
	}

	@Test
	void oneOfTwoInstancesStartsRedis() throws IOException, InterruptedException {
		startTogether("Redis", "--spring.profiles.active=redis-local", "--spring.data.redis.port=" + FreePorts.next());
	}

	private void startTogether(String server, String... arguments) throws IOException, InterruptedException {
		Path folder = Files.createDirectory(this.home.resolve(".distributed-lock-sample"));
		List<JavaProcess> launched = new ArrayList<>();
		try (FileChannel turn = FileChannel.open(folder.resolve("servers.lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE)) {
			turn.lock();
			for (String name : List.of("one", "two")) {
				launched.add(SampleInstance.launch(this.processes, name, this.home, SampleInstance.application(),
						List.of(arguments)));
			}
			for (JavaProcess process : launched) {
				process.awaitLine("waits for its turn to start servers");
			}
		}
		for (JavaProcess process : launched) {
			SampleInstance.await(process);
		}

		assertThat(launched).filteredOn((process) -> logs(process, "Started " + server + " on port")).hasSize(1);
		assertThat(launched).filteredOn((process) -> logs(process, "Another instance has started " + server))
			.hasSize(1);
		// The instance that has started the server takes it along, so it stops last.
		for (JavaProcess process : launched) {
			if (!logs(process, "Started " + server + " on port")) {
				process.stop();
			}
		}
		for (JavaProcess process : launched) {
			process.stop();
		}
	}

	private static boolean logs(JavaProcess process, String text) {
		return process.output().stream().anyMatch((line) -> line.contains(text));
	}

}
