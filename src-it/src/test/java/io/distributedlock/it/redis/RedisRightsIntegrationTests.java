package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.Locks;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.fencing.RedisFencingGuard;
import io.distributedlock.it.rights.AclRule;
import io.distributedlock.it.rights.FullCycle;
import io.distributedlock.it.rights.StartFailure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The rule of the reference for a user of the locks is sufficient, and every part of it
 * is necessary.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisRightsIntegrationTests {

	private static final AclRule RULE = SecuredRedis.RULE;

	/**
	 * Parts of the rule that the startup does not need, as documented in the reference.
	 */
	private static final Set<String> NOT_FOR_THE_START = Set.of("+scan", "+exists", "+ping", "+unsubscribe");

	private static final List<Right> FOR_THE_START = List.of(
			new Right("~lock:*", "taking a lock", "keys that begin with 'lock:'", "acquire"),
			new Right("&lock:*", "listening for releases", "channels that begin with 'lock:'", null),
			new Right("+eval", "taking a lock", "EVAL", "acquire"),
			new Right("+evalsha", "taking a lock", "EVALSHA", "acquire"),
			new Right("+get", "taking a lock", "GET", "acquire"),
			new Right("+mget", "releasing a lock that another contender waits for", "MGET", "release"),
			new Right("+set", "taking a lock", "SET", "acquire"),
			new Right("+del", "releasing a lock that another contender waits for", "DEL", "release"),
			new Right("+pttl", "asking for a lock that is taken", "PTTL", "acquire"),
			new Right("+pexpire", "renewing a lease", "PEXPIRE", "renew"),
			new Right("+time", "taking a lock", "TIME", "acquire"),
			new Right("+publish", "listening for releases", "PUBLISH", "probe"),
			new Right("+subscribe", "listening for releases", "SUBSCRIBE", null));

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisClient OPERATOR = RedisClient.create(RedisURI.create("127.0.0.1", SERVER.port()));

	private static final RedisCommands<String, String> COMMANDS = OPERATOR.connect().sync();

	@AfterAll
	static void end() {
		OPERATOR.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		SERVER.kill();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void theRuleIsEnough(String driver) {
		RULE.create(COMMANDS);

		run(RULE, driver, "full", (context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Locks.class).list()).extracting(LockInfo::key)
				.noneMatch((key) -> key.startsWith("lock-check"));
			FullCycle.run(context);
			FullCycle.runSeveralKeys(context);
		});
	}

	@Test
	void noPartOfTheRuleIsTooMuch() {
		assertThat(RULE.rights()).allMatch((part) -> NOT_FOR_THE_START.contains(part)
				|| FOR_THE_START.stream().anyMatch((right) -> right.part().equals(part)));
	}

	static List<Right> forTheStart() {
		return FOR_THE_START;
	}

	@ParameterizedTest
	@MethodSource("forTheStart")
	void startWithOneRightLessNamesTheStepTheRightAndTheUser(Right right) {
		AclRule less = RULE.without(right.part());
		less.create(COMMANDS);

		for (String driver : List.of("lettuce", "jedis")) {
			run(less, driver, "full",
					(context) -> assertThat(StartFailure.description(context))
						.startsWith("The store 'redis' can't keep the locks: It failed at " + right.step()
								+ ": The Redis of the locks refuses " + right.refused() + " to the user '" + less.user()
								+ "' of the locks"
								+ ((right.script() != null) ? ", which the script '" + right.script() + "' needs" : "")
								+ "; add '" + right.part() + "' to the user's ACL rule. It says: ")
						.containsAnyOf("NOPERM", "The user executing the script can't run this command"));
		}
	}

	@ParameterizedTest
	@CsvSource({ "+scan,list,SCAN,scan", "+exists,forceRelease,EXISTS,force-release" })
	void rightThatTheStartDoesNotNeedIsNamedByTheOnlyOperationThatNeedsIt(String part, String operation, String command,
			String script) {
		AclRule less = RULE.without(part);
		less.create(COMMANDS);

		for (String driver : List.of("lettuce", "jedis")) {
			run(less, driver, "full", (context) -> {
				assertThat(context).hasNotFailed();
				Map<String, Throwable> failures = FullCycle.failures(context);
				assertThat(failures).containsOnlyKeys(operation);
				assertThat(failures.get(operation)).isInstanceOf(LockRefusedException.class)
					.message()
					.startsWith("The Redis of the locks refuses " + command + " to the user '" + less.user()
							+ "' of the locks, which the script '" + script + "' needs; add '" + part
							+ "' to the user's ACL rule. It says: ERR The user executing the script can't run this"
							+ " command");
			});
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "+ping", "+unsubscribe" })
	void driversGoOnWhereACommandOfTheirOwnIsRefused(String part) {
		AclRule less = RULE.without(part);
		less.create(COMMANDS);

		for (String driver : List.of("lettuce", "jedis")) {
			run(less, driver, "full", (context) -> {
				assertThat(context).hasNotFailed();
				FullCycle.run(context);
			});
		}
	}

	@Test
	void lockIsReleasedWhereWaitersCannotBeNotified(CapturedOutput output) {
		AclRule less = RULE.without("+publish");
		less.create(COMMANDS);

		run(less, "lettuce", "connect", (context) -> {
			assertThat(FullCycle.failures(context)).containsOnlyKeys("wakesContenders");
			assertThat(output).containsOnlyOnce("Locks in Redis are released, but their waiters are not notified:"
					+ " The Redis of the locks refuses PUBLISH to the user 'withoutpublish' of the locks;"
					+ " add '+publish' to the user's ACL rule.");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void clusterNeedsOneRightMore(String driver) {
		AclRule more = RULE.with("+cluster");
		RedisProcess cluster = RedisCluster.startAlone();
		try {
			RedisCluster.with(cluster.port(), (commands) -> {
				RULE.create(commands);
				more.create(commands);
			});
			ApplicationContextRunner members = runner(more.user()).withPropertyValues(
					"spring.data.redis.client-type=" + driver,
					"spring.data.redis.cluster.nodes=127.0.0.1:" + cluster.port());

			members.run((context) -> {
				assertThat(context).hasNotFailed();
				FullCycle.run(context);
			});
			members.withPropertyValues("spring.data.redis.username=" + RULE.user(), "lock.startup-timeout=1h")
				.run((context) -> assertThat(context).getFailure()
					.hasStackTraceContaining(driver.equals("jedis") ? "Could not initialize cluster slots cache"
							: "can't keep the locks: It failed at taking a lock: There is no connection"
									+ " to the Redis of the locks: Cannot retrieve cluster partitions from [redis://locks:")
					.hasStackTraceContaining("NOPERM this user has no permissions to run the 'cluster|"));
		}
		finally {
			cluster.kill();
		}
	}

	@Test
	void theRuleOfTheFencingGuardIsEnoughAndNoneOfItIsTooMuch() {
		AclRule rule = AclRule.of("rights-redis-guard");
		useGuard(rule);

		for (String right : rule.rights()) {
			assertThatThrownBy(() -> useGuard(rule.without(right))).as(right)
				.rootCause()
				.message()
				.containsAnyOf("NOPERM", "The user executing the script can't run this command");
		}
	}

	private static void useGuard(AclRule rule) {
		rule.create(COMMANDS);
		COMMANDS.scriptFlush();
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", SERVER.port());
		configuration.setUsername(rule.user());
		configuration.setPassword(AclRule.PASSWORD);
		RedisConnectionFactory factory = RedisFactories.lettuce(configuration,
				LettuceClientConfiguration.defaultConfiguration());
		try {
			RedisFencingGuard guard = new RedisFencingGuard(factory);
			guard.set("order:42", "sent", 7);
			guard.delete("order:42", 7);
		}
		finally {
			RedisFactories.destroy(factory);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void startWithAWrongPasswordEndsAtOnceAndSaysSo(String driver) {
		RULE.create(COMMANDS);

		runner(RULE.user())
			.withPropertyValues("spring.data.redis.password=wrong", "spring.data.redis.client-type=" + driver,
					"lock.startup-timeout=1h")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("can't keep the locks: It failed at taking a lock")
				.hasStackTraceContaining("WRONGPASS"));
	}

	private static void run(AclRule user, String driver, String check,
			ContextConsumer<AssertableApplicationContext> work) {
		// Otherwise the server knows the scripts already.
		COMMANDS.scriptFlush();
		runner(user.user()).withPropertyValues("spring.data.redis.client-type=" + driver, "lock.startup-check=" + check)
			.run(work);
	}

	private static ApplicationContextRunner runner(String user) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + SERVER.port(),
					"spring.data.redis.username=" + user, "spring.data.redis.password=" + AclRule.PASSWORD);
	}

	/**
	 * A part of the rule.
	 *
	 * @param part the part
	 * @param step the step at which the startup fails without it
	 * @param refused what the server then refuses
	 * @param script the script that needs it, if any
	 */
	record Right(String part, String step, String refused, String script) {

		@Override
		public String toString() {
			return this.part;
		}

	}

}
