package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The rule of the reference for a user of the locks is enough, and nothing in it is too
 * much.
 */
class RedisRightsIntegrationTests {

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisClient OPERATOR = RedisClient.create(RedisURI.create("127.0.0.1", SERVER.port()));

	@AfterAll
	static void end() {
		OPERATOR.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		SERVER.kill();
	}

	static Stream<String> parts() {
		return Arrays.stream(SecuredRedis.RULE.split(" "));
	}

	/**
	 * Drivers send the others when they give connections back or look whether they are
	 * alive, and go on without an answer.
	 */
	static Stream<String> indispensableParts() {
		return parts().filter((part) -> !Set.of("+unsubscribe", "+ping").contains(part));
	}

	@Test
	void theRuleIsEnough() {
		as("all", parts().toList(), (client) -> useEverything(client, Duration.ofSeconds(60)));
	}

	@ParameterizedTest
	@MethodSource("indispensableParts")
	void noPartOfTheRuleIsTooMuch(String part) {
		List<String> rest = parts().filter((each) -> !each.equals(part)).toList();

		as("without" + part.replaceAll("\\W", ""), rest,
				(client) -> assertThatThrownBy(() -> useEverything(client, Duration.ofSeconds(2)))
					.isInstanceOf(Throwable.class));
	}

	private static void as(String user, List<String> rule, Consumer<RedisTestClient> work) {
		setUser(OPERATOR.connect().sync(), user, rule);
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", SERVER.port());
		configuration.setUsername(user);
		configuration.setPassword("secret");
		LettuceConnectionFactory factory = RedisFactories.lettuce(configuration,
				LettuceClientConfiguration.defaultConfiguration());
		try (RedisTestClient client = new RedisTestClient(factory)) {
			work.accept(client);
		}
		finally {
			factory.destroy();
		}
	}

	/**
	 * Create a user with the password {@code secret}.
	 */
	static void setUser(RedisCommands<String, String> operator, String user, List<String> rule) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER")
			.add(user)
			.add("reset")
			.add("on")
			.add(">secret");
		rule.forEach(args::add);
		operator.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
	}

	/**
	 * Use all that there is.
	 * @param patience how long a signal is waited for, which never comes where the right
	 * to hear of it is missing
	 */
	private static void useEverything(RedisTestClient client, Duration patience) {
		// Otherwise the scripts are known already.
		OPERATOR.connect().sync().scriptFlush();
		String key = RedisTestClient.newKey();
		LeaseGrant grant = client.acquire(key);
		assertThat(client.renew(grant, Duration.ofSeconds(90))).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(RedisTestClient.await(client.backend().find(key))).isPresent();
		assertThat(RedisTestClient.await(client.backend().list())).extracting(LockInfo::key).contains(key);
		AtomicInteger wakeUps = new AtomicInteger();
		Contender waiter = client.backend().contend(LockTarget.exclusive(key), wakeUps::incrementAndGet);
		assertThat(RedisTestClient.await(waiter.attempt(client.request(RedisTestClient.TTL, true))))
			.isInstanceOf(AttemptOutcome.Busy.class);
		Awaitility.await().atMost(patience).until(() -> wakeUps.get() == 1);
		assertThat(client.release(grant)).isTrue();
		Awaitility.await().atMost(patience).until(() -> wakeUps.get() == 2);
		waiter.withdraw();
		client.acquire(key);
		assertThat(RedisTestClient.await(client.backend().forceRelease(key, Duration.ofMillis(100)))).isTrue();
	}

}
