package io.distributedlock.it.etcd;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.it.process.JavaCommand;
import io.distributedlock.it.process.JavaProcess;
import io.distributedlock.it.process.JavaProcesses;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a holder whose process stands still for longer than its session lives.
 */
@RequiresEtcd
class EtcdPausedHolderIntegrationTests {

	@RegisterExtension
	final JavaProcesses processes = new JavaProcesses();

	private final String key = EtcdTestClient.newKey();

	@Test
	void holderThatStoodStillIsNotifiedOnceWhenItWakesAndDoesNoHarm() throws Exception {
		JavaProcess holder = this.processes.start("holder",
				JavaCommand.of(EtcdHoldingJvm.class).argument(EtcdServer.url()).argument(this.key));
		long token = Long.parseLong(holder.awaitLine("^held (\\d+)$").group(1));

		holder.pause();
		try (EtcdTestEngine here = new EtcdTestEngine(EtcdServer.client(), Duration.ofSeconds(20))) {
			Lease next = here.template().acquire(LockRequest.of(this.key).waitTime(Duration.ofSeconds(60)));
			assertThat(next.fencingToken()).isGreaterThan(token);
			assertThat(holder.output()).doesNotContain("no longer held");
			holder.resume();
			holder.awaitLine("^finished$");

			assertThat(holder.output()).containsOnlyOnce("notified")
				.containsOnlyOnce("no longer held", "release false");
			next.verify();
			assertThat(next.release()).isTrue();
		}
	}

}
