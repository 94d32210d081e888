package io.distributedlock.it.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockRefusedException;
import io.distributedlock.it.rights.AclRule;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rule of the reference for a user that enters groups is sufficient, and every part
 * of it is necessary. A user without it has exclusive locks only.
 */
class RedisGroupRightsIntegrationTests {

	private static final AclRule EXCLUSIVE = SecuredRedis.RULE;

	private static final AclRule RULE = SecuredRedis.RULE_WITH_GROUPS;

	private static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisClient OPERATOR = RedisClient.create(RedisURI.create("127.0.0.1", SERVER.port()));

	private static final RedisCommands<String, String> COMMANDS = OPERATOR.connect().sync();

	@AfterAll
	static void end() {
		OPERATOR.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		SERVER.kill();
	}

	static List<String> further() {
		return RULE.rights().stream().filter((right) -> !EXCLUSIVE.rights().contains(right)).toList();
	}

	@Test
	void theRuleIsEnough() {
		assertThat(failuresOf(RULE)).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("further")
	void noPartOfTheRuleIsTooMuchAndTheMissingOneIsNamed(String right) {
		AclRule less = RULE.without(right);

		assertThat(failuresOf(less)).isNotEmpty()
			.allSatisfy((failure) -> assertThat(failure).isInstanceOf(LockRefusedException.class)
				.hasMessageStartingWith("The Redis of the locks refuses " + right.substring(1).toUpperCase() + " to the"
						+ " user '" + less.user() + "' of the locks, which the script '")
				.hasMessageContaining("; add '" + right + "' to the user's ACL rule."));
	}

	@Test
	void userWithoutTheRuleWaitsForAGroupButDoesNotCloseItsDoor() {
		String key = RedisTestClient.newKey();
		try (RedisTestClient reader = client(RULE); RedisTestClient writer = client(EXCLUSIVE)) {
			LeaseGrant one = reader.read(key);
			Contender contender = writer.connection().contend(LockTarget.exclusive(key), () -> {
			});
			LeaseRequest waiting = writer.request(RedisTestClient.TTL, true);
			assertThat(RedisTestClient.await(contender.attempt(waiting))).isInstanceOf(AttemptOutcome.Busy.class);

			LeaseGrant other = reader.read(key);

			reader.release(one);
			reader.release(other);
			assertThat(RedisTestClient.await(contender.attempt(waiting))).isInstanceOf(AttemptOutcome.Granted.class);
			contender.withdraw();
		}
	}

	/**
	 * Use groups in every way, and return what is refused.
	 */
	private static List<Throwable> failuresOf(AclRule rule) {
		List<Throwable> failures = new ArrayList<>();
		String key = RedisTestClient.newKey();
		try (RedisTestClient client = client(rule)) {
			BackendConnection store = client.connection();
			LockTarget group = RedisTestClient.group(key, 1);
			LeaseRequest request = client.request(RedisTestClient.TTL.dividedBy(2), 1, false);
			AttemptOutcome first = attempt(client, group, request, failures);
			attempt(client, group, request, failures);
			attempt(client, group, client.request(RedisTestClient.TTL, 1, false), failures);
			attempt(client, LockTarget.exclusive(key), client.request(RedisTestClient.TTL, true), failures);
			answer(store.find(key), failures);
			if (first instanceof AttemptOutcome.Granted granted) {
				List<RenewalOutcome> outcomes = answer(
						store.renew(List.of(new Renewal(granted.grant(), RedisTestClient.TTL))), failures);
				if (outcomes != null && outcomes.get(0) instanceof RenewalOutcome.Unknown unknown) {
					failures.add(unknown.cause());
				}
				answer(store.release(granted.grant(), Duration.ofMillis(100)), failures);
			}
			answer(store.forceRelease(key, Duration.ZERO), failures);
		}
		return failures;
	}

	private static AttemptOutcome attempt(RedisTestClient client, LockTarget target, LeaseRequest request,
			List<Throwable> failures) {
		AttemptOutcome outcome = client.attempt(target, request);
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			failures.add(unavailable.cause());
		}
		return outcome;
	}

	private static <T> T answer(CompletionStage<T> stage, List<Throwable> failures) {
		try {
			return RedisTestClient.await(stage);
		}
		catch (CompletionException ex) {
			failures.add(ex.getCause());
			return null;
		}
	}

	private static RedisTestClient client(AclRule rule) {
		rule.create(COMMANDS);
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", SERVER.port());
		configuration.setUsername(rule.user());
		configuration.setPassword(AclRule.PASSWORD);
		LettuceConnectionFactory factory = RedisFactories.lettuce(configuration,
				LettuceClientConfiguration.defaultConfiguration());
		return new RedisTestClient(factory);
	}

}
