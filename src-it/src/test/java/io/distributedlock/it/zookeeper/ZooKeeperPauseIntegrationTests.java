package io.distributedlock.it.zookeeper;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.distributedlock.Lease;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a process that stands still for longer than its session lives.
 */
class ZooKeeperPauseIntegrationTests {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	private final String root = "/pause-" + OwnerId.random().value().substring(0, 8);

	@Test
	void holderThatStoodStillFindsItsLeaseLostAtOnceAndIsNotifiedOnce() throws Exception {
		JavaProcess frozen = this.processes.start("frozen",
				JavaCommand.of(HoldingJvm.class)
					.argument(String.valueOf(ZooKeeperServer.port()))
					.argument(this.root)
					.argument("key"));
		long token = Long.parseLong(frozen.awaitLine("^held (\\d+)$").group(1));

		frozen.pause();
		try (ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()),
				this.root, Duration.ofSeconds(20))) {
			Lease next = engine.template().acquire("key");
			long grantedAt = System.nanoTime();
			frozen.resume();

			long lastHeld = Long.parseLong(frozen.awaitLine("^last held (-?\\d+)$").group(1));
			frozen.awaitLine("^release false$");
			frozen.awaitLine("^notified 1$");
			// One clock for all processes of the machine.
			assertThat(lastHeld - grantedAt).as("from the other's grant to the last time it was held").isNegative();
			assertThat(next.fencingToken()).isGreaterThan(token);
			next.verify();
			assertThat(next.release()).isTrue();
		}
	}

}
