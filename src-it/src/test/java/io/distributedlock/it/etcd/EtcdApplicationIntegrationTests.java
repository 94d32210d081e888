package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.Locks;
import io.distributedlock.TickDoneException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.redis.Certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for applications that keep their locks in etcd.
 */
@RequiresEtcd
@Execution(ExecutionMode.CONCURRENT)
class EtcdApplicationIntegrationTests {

	private final String key = EtcdTestClient.newKey();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=etcd");

	private ApplicationContextRunner configured() {
		return this.runner.withPropertyValues("lock.etcd.endpoints=" + EtcdServer.url());
	}

	@Test
	void etcdThatThePropertiesNameKeepsTheLocks() {
		configured().withPropertyValues("lock.instance-id=shop@one").run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire(this.key);

			assertThat(lease.fencingToken()).isPositive();
			assertThat(EtcdTestClient.places(EtcdServer.client(), this.key)).singleElement()
				.satisfies((place) -> assertThat(place.getValue().toString()).endsWith("|shop@one"));
			assertThat(context.getBean(Locks.class).find(this.key)).map(LockInfo::instance).hasValue("shop@one");
		});
		assertThat(EtcdTestClient.places(EtcdServer.client(), this.key)).isEmpty();
	}

	@Test
	void clientOfTheApplicationKeepsTheLocksAndStaysOpen() {
		this.runner.withUserConfiguration(OwnClient.class).run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire(this.key);
			assertThat(lease.isHeld()).isTrue();
			assertThat(EtcdTestClient.places(EtcdServer.client(), this.key)).hasSize(1);

			context.getBeansOfType(SmartLifecycle.class).values().forEach(SmartLifecycle::stop);

			assertThat(EtcdTestClient.places(context.getBean(Client.class), this.key)).isEmpty();
		});
	}

	@Test
	void clientOfTheApplicationMayHaveANamespaceOfItsOwn() {
		this.runner.withUserConfiguration(NamespacedClient.class).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);

			assertThat(template.execute(this.key, Lease::isHeld)).isTrue();
			Lease lease = template.acquire(this.key);
			lease.verify();
			assertThat(context.getBean(Locks.class).list().map(LockInfo::key)).containsExactly(this.key);
			assertThat(EtcdTestClient.places(EtcdServer.client(), this.key)).isEmpty();
			assertThat(EtcdTestClient.stored(EtcdServer.client(), "shop/locks/lock:" + this.key)).hasSize(1);
			assertThat(lease.release()).isTrue();
		});
	}

	@Test
	void lockIsKeptByTwoApplicationsApart() {
		configured().run((one) -> configured().run((other) -> {
			Lease lease = one.getBean(LockTemplate.class).acquire(this.key);

			assertThat(other.getBean(LockTemplate.class).tryAcquire(this.key)).isEmpty();
			lease.release();
			Optional<Lease> next = other.getBean(LockTemplate.class).tryAcquire(this.key);
			assertThat(next).isPresent();
			assertThat(next.get().fencingToken()).isGreaterThan(lease.fencingToken());
		}));
	}

	@Test
	void tickRunsOnce() {
		Instant tick = Instant.parse("2026-03-29T01:30:00Z");
		configured().run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			template.acquire(LockRequest.of(this.key).tick(tick)).release();

			assertThatExceptionOfType(TickDoneException.class)
				.isThrownBy(() -> template.acquire(LockRequest.of(this.key).tick(tick)));
		});
	}

	@Test
	void pausedContextTakesItsLocksAgain() {
		configured().run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			template.acquire(this.key);
			List<SmartLifecycle> parts = List.copyOf(context.getBeansOfType(SmartLifecycle.class).values());

			parts.forEach(SmartLifecycle::stop);
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.acquire(this.key));
			parts.forEach(SmartLifecycle::start);

			assertThat(template.execute(this.key, Lease::isHeld)).isTrue();
		});
	}

	@Test
	void passwordAndTlsAndTheLeastRightsAreEnough() {
		// Other classes, which may run at the same time, have locks in this etcd too.
		secured(SecuredEtcd.PASSWORD).withPropertyValues("lock.key-prefix=least:").run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			Locks locks = context.getBean(Locks.class);

			Lease lease = template.acquire(LockRequest.of(this.key).minHold(Duration.ofMillis(10)));
			lease.verify();
			assertThat(locks.find(this.key)).isPresent();
			assertThat(locks.list().map(LockInfo::key)).containsExactly(this.key);
			assertThat(lease.release()).isTrue();
			template.acquire(LockRequest.of(this.key).tick(Instant.parse("2026-03-29T01:30:00Z"))).release();
			template.acquire(this.key);
			assertThat(locks.forceRelease(this.key)).isTrue();
		});
	}

	@Test
	void leaseOutlivesARestartOfAServerThatForgetsWhoHasLoggedIn() {
		try (EtcdProcess server = SecuredEtcd.start()) {
			secured(SecuredEtcd.PASSWORD)
				.withPropertyValues("lock.etcd.endpoints=https://127.0.0.1:" + server.port(),
						"lock.etcd.session-ttl=15s")
				.run((context) -> {
					// Only the session's own keep-alives are sent.
					Lease lease = context.getBean(LockTemplate.class)
						.acquire(LockRequest.of(this.key).ttl(Duration.ofSeconds(60)).withoutRenewal());
					server.kill();
					server.restart();
					long restarted = System.nanoTime();

					Awaitility.await("longer than the session would live")
						.atMost(Duration.ofSeconds(60))
						.until(() -> System.nanoTime() - restarted > Duration.ofSeconds(16).toNanos());

					lease.verify();
					assertThat(lease.release()).isTrue();
				});
		}
	}

	@Test
	void wrongPasswordEndsTheStartWithWhatEtcdSays() {
		secured("wrong").run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageContaining("authentication failed, invalid user ID or password"));
	}

	@Test
	void certificateThatIsNotTrustedEndsTheStart() {
		this.runner
			.withPropertyValues("lock.startup-timeout=3s", "lock.etcd.endpoints=" + SecuredEtcd.url(),
					"lock.etcd.ssl.bundle=locks",
					"spring.ssl.bundle.pem.locks.truststore.certificate=" + Certificate.create().certificate())
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("can't keep the locks"));
	}

	@Test
	void clientOfOurOwnConnectsSoonAfterALongOutage() {
		TcpProxy proxy = TcpProxy.to(EtcdServer.process().port());
		this.runner.withPropertyValues("lock.etcd.endpoints=127.0.0.1:" + proxy.port()).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			template.acquire(this.key).release();
			proxy.cut();
			long cut = System.nanoTime();
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> System.nanoTime() - cut > Duration.ofSeconds(16).toNanos());
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> template.tryAcquire(this.key));

			proxy.restore();

			// On its own, the driver would not try to connect for another 10 s.
			assertThat(template.acquire(LockRequest.of(this.key).waitTime(Duration.ofSeconds(6))).release()).isTrue();
		});
		proxy.close();
	}

	private ApplicationContextRunner secured(String password) {
		return this.runner.withPropertyValues("lock.etcd.endpoints=" + SecuredEtcd.url(),
				"lock.etcd.user=" + SecuredEtcd.USER, "lock.etcd.password=" + password, "lock.etcd.ssl.bundle=locks",
				"spring.ssl.bundle.pem.locks.truststore.certificate=" + SecuredEtcd.certificate());
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnClient {

		@Bean
		Client etcd() {
			return Client.builder().endpoints(EtcdServer.url()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NamespacedClient {

		@Bean
		Client etcd() {
			return Client.builder()
				.endpoints(EtcdServer.url())
				.namespace(ByteSequence.from("shop/", StandardCharsets.UTF_8))
				.build();
		}

	}

}
