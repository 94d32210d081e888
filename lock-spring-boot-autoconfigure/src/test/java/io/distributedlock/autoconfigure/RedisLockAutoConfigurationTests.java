package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.test.util.ReflectionTestUtils;

import io.distributedlock.LockTemplate;
import io.distributedlock.backend.redis.RedisLockBackend;
import io.distributedlock.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the locks in Redis, with Spring Boot's own auto-configuration and without a
 * server.
 */
class RedisLockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1", "lock.fail-fast=false", "lock.call-timeout=50ms");

	@Test
	void redisOfTheApplicationKeepsTheLocks() {
		this.runner.run((context) -> {
			assertThat(StoreBehind.of(context.getBean(LockEngine.class))).isInstanceOf(RedisLockBackend.class);
			assertThat(factoryOfTheLocks(context.getBean(LockEngine.class)))
				.isSameAs(context.getBean("redisConnectionFactory"));
		});
	}

	@Test
	void orderOfTheConfigurationsDoesNotMatter() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockRegistryAutoConfiguration.class, LockAutoConfiguration.class,
					DataRedisAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1", "lock.fail-fast=false", "lock.call-timeout=50ms")
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)))
				.isInstanceOf(RedisLockBackend.class));
	}

	@Test
	void serverThatIsNotThereEndsTheStartWithWhatItSays() {
		this.runner.withPropertyValues("lock.fail-fast=true", "lock.startup-timeout=100ms").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).startsWith("The store 'redis' at ")
				.contains(" can't keep the locks: ");
			assertThat(analysis.getAction()).contains("lock.fail-fast=false");
		});
	}

	@Test
	void redisBesideADatabaseEndsTheStartUntilOneIsNamed() {
		ApplicationContextRunner both = this.runner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + JdbcLockAutoConfigurationTests.url());

		both.run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription())
				.isEqualTo("Several stores could keep the locks, and nothing says which one is to: jdbc, redis.");
			assertThat(analysis.getAction())
				.isEqualTo("Set 'lock.backend' to one of them, for example 'lock.backend=jdbc'.");
		});
		both.withPropertyValues("lock.backend=redis")
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)))
				.isInstanceOf(RedisLockBackend.class));
	}

	@Test
	void withoutRedisOnTheClassPathTheStoreIsMissed() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.withPropertyValues("lock.backend=redis")
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription())
					.isEqualTo("The store 'redis', which 'lock.backend' names, can't be"
							+ " used: Spring Data Redis is not on the class path.");
				assertThat(analysis.getAction()).isEqualTo(
						"To use it: add the dependency 'org.springframework.boot:spring-boot-starter-data-redis', and set"
								+ " 'spring.data.redis.url'.");
			});
	}

	@Test
	void withoutRedisOnTheClassPathOtherStoresWork() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
	}

	@Test
	void withoutAConnectionFactoryTheStoreIsMissed() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=redis")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription()).isEqualTo(
					"The store 'redis', which 'lock.backend' names, can't be used: there is no RedisConnectionFactory."));
	}

	@Test
	void primaryFactoryAmongSeveralIsTaken() {
		this.runner.withUserConfiguration(TwoFactoriesOnePrimary.class)
			.run((context) -> assertThat(factoryOfTheLocks(context.getBean(LockEngine.class)))
				.isSameAs(context.getBean("primary")));
	}

	@Test
	void severalFactoriesWithoutPrimaryEndTheStartWithWhatToWrite() {
		this.runner.withUserConfiguration(TwoFactories.class).run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).contains(
					"- redis: there are several RedisConnectionFactories ('first', 'second') and none of them is @Primary");
			assertThat(analysis.getAction()).contains(
					"- redis: mark the RedisConnectionFactory for locks with @LockConnectionFactory, or one as @Primary");
		});
	}

	@Test
	void dedicatedFactoryLeavesSpringBootsOneToTheApplication() {
		this.runner.withUserConfiguration(FactoryForLocks.class).run((context) -> {
			assertThat(context.getBean(RedisConnectionFactory.class))
				.isSameAs(context.getBean("redisConnectionFactory"));
			assertThat(factoryOfTheLocks(context.getBean(LockEngine.class))).isSameAs(context.getBean("forLocks"));
		});
	}

	@Test
	void propertiesReachTheSettings() {
		this.runner
			.withPropertyValues("lock.key-prefix=shop:", "lock.instance-id=shop@one", "lock.token-retention=2h",
					"lock.redis.min-replica-acks=1", "lock.redis.replica-acks=best-effort",
					"lock.redis.failover-quarantine=true", "lock.redis.max-ttl=45s")
			.run((context) -> assertThat(context.getBean("redisLockSettings")).hasToString(
					"RedisLockSettings[keyPrefix=shop:, instanceId=shop@one, callTimeout=PT0.05S, tokenRetention=PT2H,"
							+ " minReplicaAcks=1, replicaAcks=BEST_EFFORT, failoverQuarantine=true, maxTtl=PT45S]"));
	}

	@Test
	void propertyThatMakesNoSenseEndsTheStart() {
		this.runner.withPropertyValues("lock.redis.min-replica-acks=-1")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.contains("(lock.redis.min-replica-acks) must not be negative, but is -1"));
	}

	private static Object factoryOfTheLocks(LockEngine engine) {
		return ReflectionTestUtils.getField(StoreBehind.of(engine), "factory");
	}

	private static LettuceConnectionFactory factory() {
		return new LettuceConnectionFactory("127.0.0.1", 1);
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoFactories {

		@Bean
		RedisConnectionFactory first() {
			return factory();
		}

		@Bean
		RedisConnectionFactory second() {
			return factory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoFactoriesOnePrimary {

		@Bean
		@Primary
		RedisConnectionFactory primary() {
			return factory();
		}

		@Bean
		RedisConnectionFactory other() {
			return factory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FactoryForLocks {

		@Bean(defaultCandidate = false)
		@LockConnectionFactory
		RedisConnectionFactory forLocks() {
			return factory();
		}

	}

}
