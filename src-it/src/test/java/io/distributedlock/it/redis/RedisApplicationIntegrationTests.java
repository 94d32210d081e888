package io.distributedlock.it.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockConnectionFactory;
import io.distributedlock.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Applications with Spring Boot's own configuration of Redis.
 */
class RedisApplicationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + RedisServer.port(), "spring.data.redis.host=127.0.0.1");

	private final StringRedisTemplate redis = new StringRedisTemplate(RedisServer.lettuce());

	private final String key = RedisTestClient.newKey();

	@Test
	void redisOfTheApplicationKeepsTheLocks() {
		this.runner.withPropertyValues("lock.instance-id=shop@one").run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire(this.key);

			assertThat(lease.fencingToken()).isPositive();
			assertThat(this.redis.opsForValue().get("lock:{" + this.key + "}")).endsWith("|shop@one");
		});
	}

	@Test
	void jedisKeepsTheLocks() {
		this.runner.withPropertyValues("spring.data.redis.client-type=jedis").run((context) -> {
			assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);

			assertThat(context.getBean(LockTemplate.class).execute(this.key, Lease::isHeld)).isTrue();
		});
	}

	@Test
	void staticReplicasOfTheConfigurationAreUnderstood() {
		this.runner
			.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:" + RedisServer.port(),
					"spring.data.redis.lettuce.read-from=replica-preferred")
			.run((context) -> assertThat(context.getBean(LockTemplate.class).execute(this.key, Lease::isHeld))
				.isTrue());
	}

	@Test
	void clusterOfTheConfigurationKeepsTheLocks() {
		this.runner.withPropertyValues("spring.data.redis.cluster.nodes=127.0.0.1:" + RedisCluster.ports().get(0))
			.run((context) -> {
				assertThat(context.getBean(LettuceConnectionFactory.class).isClusterAware()).isTrue();
				assertThat(context.getBean(LockTemplate.class).execute(this.key, Lease::isHeld)).isTrue();
			});
	}

	@Test
	void dedicatedFactoryKeepsTheLocks() {
		this.runner.withPropertyValues("spring.data.redis.port=1")
			.withUserConfiguration(FactoryForLocks.class)
			.run((context) -> {
				context.getBean(LockTemplate.class).acquire(this.key);

				assertThat(context.getBean(RedisConnectionFactory.class))
					.isSameAs(context.getBean("redisConnectionFactory"));
				assertThat(this.redis.hasKey("lock:{" + this.key + "}")).isTrue();
			});
	}

	@Test
	void fencedRequestIsRefusedWhereKeysAreEvictedAndOthersAreServed() {
		RedisProcess evicting = RedisProcess.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru");
		try {
			this.runner.withPropertyValues("spring.data.redis.port=" + evicting.port()).run((context) -> {
				LockTemplate locks = context.getBean(LockTemplate.class);

				assertThat(locks.tryAcquire(this.key)).isPresent();
				assertThatExceptionOfType(InvalidLockRequestException.class)
					.isThrownBy(() -> locks.acquire(LockRequest.of(this.key).fenced()))
					.withMessageContaining("fencing tokens");
			});
		}
		finally {
			evicting.kill();
		}
	}

	@Test
	void leasesAreReleasedBeforeTheConnectionsClose() {
		this.runner.run((context) -> {
			context.getBean(LockTemplate.class).acquire(this.key);
			assertThat(this.redis.hasKey("lock:{" + this.key + "}")).isTrue();
			LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);

			context.close();

			assertThat(factory.isRunning()).isFalse();
			assertThat(this.redis.hasKey("lock:{" + this.key + "}")).isFalse();
		});
	}

	@Test
	void bodyThatTheShutdownWaitsForHoldsItsLockToTheEnd() {
		this.runner.withUserConfiguration(SlowWorker.class).run((context) -> {
			SlowWorker worker = context.getBean(SlowWorker.class);
			worker.begin(context.getBean(LockTemplate.class), this.key);

			context.close();

			assertThat(worker.held).isTrue();
			assertThat(this.redis.hasKey("lock:{" + this.key + "}")).isFalse();
		});
	}

	@Test
	void contextThatWasPausedAndResumedStillLocks() {
		this.runner.run((context) -> {
			context.getBean(LockTemplate.class).acquire(this.key);

			context.getSourceApplicationContext().pause();
			context.getSourceApplicationContext().restart();

			assertThat(context.getBean(LockTemplate.class).tryAcquire(this.key)).isPresent();
		});
	}

	@Test
	void contextThatWasStoppedWithItsFactoryAndStartedStillLocks() {
		this.runner.run((context) -> {
			context.getBean(LockTemplate.class).acquire(this.key);

			context.getSourceApplicationContext().stop();
			assertThat(this.redis.hasKey("lock:{" + this.key + "}")).isFalse();
			context.getSourceApplicationContext().start();

			assertThat(context.getBean(LockTemplate.class).tryAcquire(this.key)).isPresent();
			assertThat(context.getBean(LockEngine.class).backend().name()).isEqualTo("redis");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class FactoryForLocks {

		@Bean(defaultCandidate = false)
		@LockConnectionFactory
		LettuceConnectionFactory forLocks() {
			return new LettuceConnectionFactory("127.0.0.1", RedisServer.port());
		}

	}

	/**
	 * Stops, as a web server does, after its work in progress has ended.
	 */
	static class SlowWorker implements SmartLifecycle {

		private final AtomicBoolean held = new AtomicBoolean();

		private final CompletableFuture<Void> begun = new CompletableFuture<>();

		private final CompletableFuture<Void> stopping = new CompletableFuture<>();

		private volatile Thread thread;

		void begin(LockTemplate locks, String key) {
			this.thread = new Thread(() -> this.held.set(locks.execute(key, (lease) -> {
				this.begun.complete(null);
				this.stopping.join();
				return lease.isHeld();
			})));
			this.thread.start();
			this.begun.join();
		}

		@Override
		public void start() {
			// The test begins the work.
		}

		@Override
		public void stop() {
			this.stopping.complete(null);
			try {
				this.thread.join();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		@Override
		public boolean isRunning() {
			return this.thread != null && this.thread.isAlive();
		}

	}

}
