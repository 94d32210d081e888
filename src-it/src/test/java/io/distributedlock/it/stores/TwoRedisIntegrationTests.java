package io.distributedlock.it.stores;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.DistributedLock;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostEvent;
import io.distributedlock.LockContext;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.backend.redis.RedisLockSettings;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.it.redis.RedisServer;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for two stores of the same kind, which only their names distinguish.
 */
class TwoRedisIntegrationTests {

	private final String key = "two-redis:" + UUID.randomUUID();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("lock.backends=east,west", "lock.backend=east", "east.port=" + RedisServer.port());

	@Test
	void eachIsKnownByTheNameOfItsBean() {
		try (RedisProcess west = RedisProcess.start()) {
			this.runner.withPropertyValues("west.port=" + west.port()).run((context) -> {
				LockTemplate template = context.getBean(LockTemplate.class);
				Lease east = template.acquire(this.key);
				Lease lost = template.acquire(LockRequest.of(this.key).backend("west").ttl(Duration.ofSeconds(2)));
				assertThat(context.getBean(Job.class).run()).isTrue();

				west.kill();

				List<LeaseLostEvent> losses = context.getBean(Application.class).losses;
				await().atMost(Duration.ofSeconds(60)).until(() -> !losses.isEmpty());
				assertThat(losses).singleElement().extracting(LeaseLostEvent::backend).isEqualTo("west");
				assertThat(lost.isHeld()).isFalse();
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> context.getBean("westLockTemplate", LockTemplate.class).tryAcquire("other"))
					.withMessageContaining("'west'");
				assertThat(east.release()).isTrue();
			});
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		private final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

		@Bean
		LettuceConnectionFactory eastFactory(@Value("${east.port}") int port) {
			return new LettuceConnectionFactory("127.0.0.1", port);
		}

		@Bean
		LettuceConnectionFactory westFactory(@Value("${west.port}") int port) {
			return new LettuceConnectionFactory("127.0.0.1", port);
		}

		@Bean
		LockBackend east(@Qualifier("eastFactory") LettuceConnectionFactory factory, LockClock clock) {
			return new RedisLockBackend(factory, settings(), clock);
		}

		@Bean
		LockBackend west(@Qualifier("westFactory") LettuceConnectionFactory factory, LockClock clock) {
			return new RedisLockBackend(factory, settings(), clock);
		}

		private static RedisLockSettings settings() {
			return new RedisLockSettings("lock:", "test", Duration.ofSeconds(2), Duration.ofHours(1));
		}

		@Bean
		Job job() {
			return new Job();
		}

		@EventListener
		void onLoss(LeaseLostEvent event) {
			this.losses.add(event);
		}

	}

	static class Job {

		@DistributedLock(name = "two-redis-job", backend = "west", fenced = true)
		boolean run() {
			return LockContext.current().isHeld();
		}

	}

}
