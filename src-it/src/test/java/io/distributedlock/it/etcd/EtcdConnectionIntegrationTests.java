package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for connections that fall silent without being closed, that take long to open,
 * and that can't be opened at startup.
 */
@RequiresEtcd
@Execution(ExecutionMode.CONCURRENT)
@FurtherTopology
class EtcdConnectionIntegrationTests {

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration NEXT_GRANT = CALL_TIMEOUT.multipliedBy(3).plusSeconds(1);

	private static final Duration LONG = Duration.ofSeconds(60);

	private final String key = EtcdTestClient.newKey();

	private final TcpProxy proxy = TcpProxy.to(EtcdServer.process().port());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=etcd", "lock.etcd.endpoints=127.0.0.1:" + this.proxy.port(),
				"lock.call-timeout=" + CALL_TIMEOUT.toMillis());

	@AfterEach
	void close() {
		this.proxy.close();
	}

	@Test
	void nextGrantComesSoonAfterConnectionsHaveFallenSilentAndLeasesOutliveThat() {
		this.runner.run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			Lease lease = template.acquire(EtcdTestClient.newKey());

			this.proxy.silence();
			long silenced = System.nanoTime();
			acquire(template).release();

			assertThat(System.nanoTime() - silenced).isLessThan(NEXT_GRANT.toNanos());
			Awaitility.await("longer than the session is valid without a keep-alive")
				.atMost(LONG)
				.until(() -> System.nanoTime() - silenced > Duration.ofSeconds(6).toNanos());
			assertThat(lease.release()).isTrue();
		});
	}

	@Test
	void waiterDetectsAReleaseSoonAlthoughItsWatchHasFallenSilent() {
		this.runner.run((context) -> {
			try (EtcdTestClient other = new EtcdTestClient(EtcdServer.client())) {
				LeaseGrant grant = other.acquire(this.key);
				CompletableFuture<Lease> waiting = context.getBean(LockTemplate.class)
					.acquireAsync(LockRequest.of(this.key).waitTime(LONG))
					.toCompletableFuture();
				Awaitility.await("the waiter is in the queue")
					.until(() -> EtcdTestClient.places(EtcdServer.client(), this.key).size() == 2);

				this.proxy.silence();
				other.release(grant);
				long released = System.nanoTime();
				Lease lease = EtcdTestClient.await(waiting);

				assertThat(System.nanoTime() - released).isLessThan(NEXT_GRANT.toNanos());
				assertThat(lease.release()).isTrue();
			}
		});
	}

	@Test
	void connectionThatTakesLongerThanACallServesLaterCalls() {
		this.proxy.delayConnections(Duration.ofSeconds(3));
		this.runner.withPropertyValues("lock.fail-fast=false", "lock.call-timeout=500ms").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire(this.key));

			assertThat(acquire(template).release()).isTrue();
			for (int i = 0; i < 20; i++) {
				assertThat(template.acquire(this.key).release()).isTrue();
			}
		});
	}

	@Test
	void startWaitsForAConnectionThatTakesLongerThanACall() {
		this.proxy.delayConnections(Duration.ofSeconds(3));
		this.runner.withPropertyValues("lock.call-timeout=500ms")
			.run((context) -> assertThat(context.getBean(LockTemplate.class).acquire(this.key).release()).isTrue());
	}

	@Test
	void etcdThatIsAwayAtTheStartServesLaterCalls() {
		this.proxy.cut();
		this.runner.withPropertyValues("lock.fail-fast=false").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire(this.key));

			this.proxy.restore();

			assertThat(acquire(template).release()).isTrue();
		});
	}

	private Lease acquire(LockTemplate template) {
		return Awaitility.await()
			.atMost(LONG)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.ignoreExceptionsInstanceOf(LockException.class)
			.until(() -> template.acquire(LockRequest.of(this.key).waitTime(CALL_TIMEOUT)), (lease) -> true);
	}

}
