package io.distributedlock.it.etcd;

import java.time.Duration;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a server that dies and comes back with the data on its disk.
 */
@RequiresEtcd
class EtcdRestartIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final String key = EtcdTestClient.newKey();

	private EtcdProcess server;

	private Client connections;

	@BeforeEach
	void start() {
		this.server = EtcdProcess.start();
		this.connections = Client.builder()
			.endpoints(this.server.url())
			.waitForReady(false)
			.retryMaxAttempts(0)
			.build();
	}

	@AfterEach
	void end() {
		this.connections.close();
		this.server.close();
	}

	@Test
	void leaseOutlivesARestartThatIsShorterThanTheSession() {
		try (EtcdTestEngine here = new EtcdTestEngine(this.connections, LONG);
				EtcdTestEngine there = new EtcdTestEngine(this.connections, LONG)) {
			Lease lease = here.template().acquire(this.key);

			this.server.kill();
			this.server.restart();

			Lease other = there.template().acquire(LockRequest.of(EtcdTestClient.newKey()).waitTime(LONG));
			assertThat(other.fencingToken()).isGreaterThan(lease.fencingToken());
			assertThat(there.template().tryAcquire(this.key)).isEmpty();
			lease.verify();
			assertThat(lease.release()).isTrue();
			assertThat(there.template().acquire(this.key).fencingToken()).isGreaterThan(other.fencingToken());
		}
	}

	@Test
	void holderLosesItsLeaseByItsOwnClockWhileTheServerIsDown() {
		try (EtcdTestEngine here = new EtcdTestEngine(this.connections, Duration.ofSeconds(3))) {
			Lease lease = here.template().acquire(this.key);

			this.server.kill();

			Awaitility.await().atMost(LONG).until(() -> !lease.isHeld());
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> here.template().tryAcquire(this.key));
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> here.template().acquire(LockRequest.of(this.key).waitTime(Duration.ofMillis(300))));
			this.server.restart();
			Lease next = here.template().acquire(LockRequest.of(this.key).waitTime(LONG));
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			assertThat(lease.release()).isFalse();
			next.verify();
			assertThat(next.release()).isTrue();
		}
	}

}
