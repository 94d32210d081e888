package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.LockInfo;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections in the pool of Jedis after the end of subscriptions.
 */
class JedisConnectionsIntegrationTests {

	static Stream<JedisConnectionFactory> factories() {
		return Stream.of(RedisServer.jedis(), RedisCluster.jedis());
	}

	@ParameterizedTest
	@MethodSource("factories")
	void connectionsOfListsAreGivenBackOnce(JedisConnectionFactory factory) throws Exception {
		try (RedisTestClient client = new RedisTestClient(factory)) {
			List<Callable<Void>> users = new ArrayList<>();
			for (int user = 0; user < 4; user++) {
				String key = RedisTestClient.newKey();
				users.add(() -> {
					for (int round = 0; round < 100; round++) {
						LeaseGrant grant = client.acquire(key);
						assertThat(RedisTestClient.await(ListedLocks.all(client.connection())))
							.extracting(LockInfo::key)
							.contains(key);
						assertThat(client.release(grant)).isTrue();
					}
					return null;
				});
			}
			ExecutorService threads = Executors.newFixedThreadPool(users.size());
			try {
				for (Future<Void> user : threads.invokeAll(users)) {
					user.get();
				}
			}
			finally {
				threads.shutdown();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("factories")
	void subscriptionsThatEndLeaveNoAnswersToOthers(JedisConnectionFactory factory) {
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		for (int round = 0; round < 100; round++) {
			String key = RedisTestClient.newKey();
			try (RedisTestClient client = new RedisTestClient(factory)) {
				LeaseGrant grant = client.acquire(key);
				AtomicInteger wakeUps = new AtomicInteger();
				Contender waiter = client.connection().contend(LockTarget.exclusive(key), wakeUps::incrementAndGet);
				RedisTestClient.await(waiter.attempt(client.request(RedisTestClient.TTL, true)));
				if (round % 2 == 0) {
					Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> wakeUps.get() > 0);
				}
				client.release(grant);
			}
			assertAnswersAreOwn(redis);
		}
	}

	static Stream<Arguments> earlyEnds() {
		Runnable failure = () -> {
			throw new IllegalStateException("the waiter fails");
		};
		Runnable interrupt = () -> Thread.currentThread().interrupt();
		return factories().flatMap((factory) -> Stream.of(Arguments.of(factory, Named.of("failure", failure)),
				Arguments.of(factory, Named.of("interrupt", interrupt))));
	}

	/**
	 * The driver stops reading before the server has answered the end of the
	 * subscription.
	 */
	@ParameterizedTest
	@MethodSource("earlyEnds")
	void subscriptionsThatEndEarlyLeaveNothingToOthers(JedisConnectionFactory factory, Runnable end) {
		StringRedisTemplate redis = new StringRedisTemplate(factory);
		for (int round = 0; round < 10; round++) {
			String key = RedisTestClient.newKey();
			try (RedisTestClient client = new RedisTestClient(factory)) {
				LeaseGrant grant = client.acquire(key);
				AtomicInteger wakeUps = new AtomicInteger();
				Contender waiter = client.connection().contend(LockTarget.exclusive(key), () -> {
					wakeUps.incrementAndGet();
					end.run();
				});
				RedisTestClient.await(waiter.attempt(client.request(RedisTestClient.TTL, true)));
				Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> wakeUps.get() > 0);
				assertAnswersAreOwn(redis);
				client.release(grant);
			}
			assertAnswersAreOwn(redis);
		}
	}

	private static void assertAnswersAreOwn(StringRedisTemplate redis) {
		for (int i = 0; i < 10; i++) {
			redis.opsForValue().set("other:" + i, "value-" + i);
			assertThat(redis.opsForValue().get("other:" + i)).isEqualTo("value-" + i);
		}
	}

}
