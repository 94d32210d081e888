package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.Locks;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
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

	@ParameterizedTest
	@CsvSource({ "+evalsha,attempt,EVALSHA", "+eval,attempt,EVAL", "~lock:*,attempt,~", "+get,attempt,GET",
			"+set,attempt,SET", "+time,attempt,TIME", "+pttl,renew,PTTL", "+pexpire,renew,PEXPIRE",
			"+mget,release,MGET", "+del,release,DEL", "+scan,list,SCAN", "+exists,forceRelease,EXISTS",
			"+subscribe,wakesContenders,SUBSCRIBE", "&lock:*,wakesContenders,&", "+publish,wakesContenders,PUBLISH" })
	void operationThatARightIsMissingForNamesIt(String part, String operation, String named) {
		List<String> rest = parts().filter((each) -> !each.equals(part)).toList();
		for (String driver : List.of("lettuce", "jedis")) {
			String user = driver + "without" + part.replaceAll("\\W", "");

			Map<String, Throwable> faults = new LinkedHashMap<>();
			as(driver, user, rest, (client) -> faultsOf(client, faults));

			assertThat(faults).containsKey(operation);
			assertThat(faults.get(operation)).isInstanceOf(LockRefusedException.class)
				.hasMessageContaining(named)
				.hasMessageContaining("'" + user + "'");
		}
	}

	@Test
	void theRuleIsEnoughForAStart() {
		start("starting", parts().toList(), (context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Locks.class).list()).extracting(LockInfo::key)
				.noneMatch((key) -> key.startsWith("lock-check"));
		});
	}

	@ParameterizedTest
	@CsvSource({ "+evalsha,taking a lock,EVALSHA", "+subscribe,listening for releases,SUBSCRIBE",
			"+pexpire,renewing a lease,PEXPIRE", "+del,releasing a lock that another contender waits for,DEL" })
	void startThatARightIsMissingForNamesTheStepAndTheRight(String part, String step, String named) {
		List<String> rest = parts().filter((each) -> !each.equals(part)).toList();
		String user = "startwithout" + part.replaceAll("\\W", "");

		start(user, rest,
				(context) -> assertThat(context).getFailure()
					.hasStackTraceContaining("The store 'redis' can't keep the locks: It failed at " + step)
					.hasStackTraceContaining(named)
					.hasStackTraceContaining("'" + user + "'"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void startWithAWrongPasswordEndsAtOnceAndSaysSo(String driver) {
		setUser(OPERATOR.connect().sync(), "known", parts().toList());

		runner("known")
			.withPropertyValues("spring.data.redis.password=wrong", "spring.data.redis.client-type=" + driver,
					"lock.startup-timeout=1h")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("The store 'redis' can't keep the locks: It failed at taking a lock")
				.hasStackTraceContaining("WRONGPASS"));
	}

	private static void start(String user, List<String> rule, ContextConsumer<AssertableApplicationContext> work) {
		setUser(OPERATOR.connect().sync(), user, rule);
		OPERATOR.connect().sync().scriptFlush();
		runner(user).run(work);
	}

	private static ApplicationContextRunner runner(String user) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + SERVER.port(),
					"spring.data.redis.username=" + user, "spring.data.redis.password=secret");
	}

	@Test
	void lockIsReleasedWhereWaitersCannotBeTold() {
		List<String> rest = parts().filter((each) -> !each.equals("+publish")).toList();

		as("mute", rest, (client) -> {
			String key = RedisTestClient.newKey();
			LeaseGrant grant = client.acquire(key);
			assertThat(client.attempt(key, client.request(RedisTestClient.TTL, true)))
				.isInstanceOf(AttemptOutcome.Busy.class);

			assertThat(client.release(grant)).isTrue();

			client.acquire(key);
			client.attempt(key, client.request(RedisTestClient.TTL, true));
			assertThat(RedisTestClient.await(client.backend().forceRelease(key, Duration.ZERO))).isTrue();
			client.acquire(key);
		});
	}

	/**
	 * Call everything, and go on where something is refused.
	 */
	private static void faultsOf(RedisTestClient client, Map<String, Throwable> faults) {
		OPERATOR.connect().sync().scriptFlush();
		String key = RedisTestClient.newKey();
		if (!(client.attempt(key) instanceof AttemptOutcome.Granted granted)) {
			AttemptOutcome outcome = client.attempt(RedisTestClient.newKey());
			faults.put("attempt", ((AttemptOutcome.Unavailable) outcome).cause());
			return;
		}
		if (client.renew(granted.grant(), Duration.ofSeconds(90)) instanceof RenewalOutcome.Unknown unknown) {
			faults.put("renew", unknown.cause());
		}
		faults.put("find", faultOf(client.backend().find(key)));
		faults.put("list", faultOf(client.backend().list()));
		Contender waiter = client.backend().contend(LockTarget.exclusive(key), () -> {
		});
		RedisTestClient.await(waiter.attempt(client.request(RedisTestClient.TTL, true)));
		faults.put("wakesContenders", faultOf(client.backend().wakesContenders(LockTarget.exclusive(key))));
		waiter.withdraw();
		faults.put("release", faultOf(client.backend().release(granted.grant(), Duration.ZERO)));
		client.attempt(key);
		faults.put("forceRelease", faultOf(client.backend().forceRelease(key, Duration.ZERO)));
	}

	private static Throwable faultOf(CompletionStage<?> stage) {
		CompletableFuture<Throwable> fault = new CompletableFuture<>();
		stage.whenComplete((answer, thrown) -> fault.complete(
				(thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause() : thrown));
		return RedisTestClient.await(fault);
	}

	private static void as(String user, List<String> rule, Consumer<RedisTestClient> work) {
		as("lettuce", user, rule, work);
	}

	private static void as(String driver, String user, List<String> rule, Consumer<RedisTestClient> work) {
		setUser(OPERATOR.connect().sync(), user, rule);
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", SERVER.port());
		configuration.setUsername(user);
		configuration.setPassword("secret");
		RedisConnectionFactory factory = driver.equals("jedis") ? RedisFactories.jedis(configuration)
				: RedisFactories.lettuce(configuration, LettuceClientConfiguration.defaultConfiguration());
		try (RedisTestClient client = new RedisTestClient(factory)) {
			work.accept(client);
		}
		finally {
			RedisFactories.destroy(factory);
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
