package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

import io.distributedlock.LockMode;
import io.distributedlock.LockRefusedException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.rights.AclRule;
import io.distributedlock.it.rights.FullCycle;
import io.distributedlock.it.rights.StartFailure;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The rule of the reference for a user of the locks is sufficient, and each part of it is
 * necessary.
 */
class RedlockRightsIntegrationTests {

	/**
	 * Longer than the tests take.
	 */
	private static final Duration TTL = Duration.ofSeconds(60);

	private static final AclRule RULE = SecuredRedlock.RULE;

	private static final List<Right> FOR_THE_START = List.of(
			new Right("~lock:*", "taking a lock", "the script 'state' on keys that begin with 'lock:'"),
			new Right("&lock:*", "listening for releases", "a command on channels that begin with 'lock:'"),
			new Right("+info", "taking a lock", "INFO"), new Right("+script|load", "taking a lock", "SCRIPT LOAD"),
			new Right("+evalsha", "taking a lock", "EVALSHA"), new Right("+get", "taking a lock", "GET"),
			new Right("+set", "taking a lock", "SET"), new Right("+del", "taking a lock", "DEL"),
			new Right("+exists", "taking a lock", "EXISTS"),
			new Right("+pttl", "asking for a lock that is taken", "PTTL"),
			new Right("+pexpire", "renewing a lease", "PEXPIRE"), new Right("+time", "taking a lock", "TIME"),
			new Right("+publish", "listening for releases", "PUBLISH"),
			new Right("+subscribe", "listening for releases", "SUBSCRIBE"));

	/**
	 * Parts of the rule that startup does not need, according to the reference.
	 */
	private static final Set<String> NOT_FOR_THE_START = Set.of("+scan", "+ping", "+unsubscribe", "+zadd", "+zscore",
			"+zrange", "+zrem", "+hset", "+hget", "+hdel");

	private static final RedlockServers SERVERS = RedlockServers.start(3);

	@AfterAll
	static void end() {
		SERVERS.kill();
	}

	@Test
	void theRuleIsEnough() {
		start(RULE, (context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runGroups(context);
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
	void startWithOneRightLessNamesStepNodesRightAndUser(Right right) {
		AclRule less = RULE.without(right.part());
		String refusal = "(127\\.0\\.0\\.1:\\d+: it does not let the user '" + less.user() + "' run "
				+ Pattern.quote(right.refused()) + " \\((NOPERM|ERR The user executing the script)[^)]*\\)(; )?){2,3}";

		start(less,
				(context) -> assertThat(StartFailure.description(context))
					.startsWith("The store 'redlock' can't keep the locks: It failed at " + right.step()
							+ ": A majority of the nodes of the locks can't be used (")
					.matches("(?s).*\\)\\. " + refusal));
	}

	@Test
	void listAloneNeedsTheRightToScan() {
		start(RULE.without("+scan"), (context) -> {
			assertThat(context).hasNotFailed();
			Map<String, Throwable> failures = FullCycle.failures(context);
			assertThat(failures).containsOnlyKeys("list");
			assertThat(failures.get("list")).isInstanceOf(LockRefusedException.class)
				.message()
				.startsWith("A majority of the nodes of the locks can't be used (while listing locks). 127.0.0.1:")
				.contains(": it does not let the user 'withoutscan' run SCAN (ERR The user executing the script");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "+zadd", "+zscore", "+zrange", "+zrem", "+hset", "+hget", "+hdel" })
	void onlyGroupsNeedRightsForSetsAndHashes(String part) {
		as(RULE.without(part), (client) -> {
			client.awaitVotes(3);
			String command = part.substring(1).toUpperCase(Locale.ROOT);
			LeaseGrant exclusive = client.acquire(RedlockTestClient.newKey());
			assertThat(client.renew(exclusive)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(client.release(exclusive)).isTrue();

			assertThat(refusal(client, RedlockTestClient.newKey())).isInstanceOf(LockRefusedException.class)
				.hasMessageContaining(command);
		});
	}

	/**
	 * Use a group, and return the first refusal.
	 */
	private static Throwable refusal(RedlockTestClient client, String key) {
		AttemptOutcome outcome = client.attempt(key, LockMode.PERMITS);
		if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
			return unavailable.cause();
		}
		LeaseGrant grant = ((AttemptOutcome.Granted) outcome).grant();
		AttemptOutcome second = client.attempt(key, LockMode.PERMITS);
		if (second instanceof AttemptOutcome.Unavailable unavailable) {
			return unavailable.cause();
		}
		if (client.renew(grant) instanceof RenewalOutcome.Unknown unknown) {
			return unknown.cause();
		}
		return catchThrowable(() -> client.release(grant)).getCause();
	}

	@Test
	void theRuleIsEnoughForGroups() {
		as(RULE, (client) -> {
			client.awaitVotes(3);
			for (LockMode mode : List.of(LockMode.SHARED, LockMode.PERMITS)) {
				String key = RedlockTestClient.newKey();
				LeaseGrant one = client.enter(key, mode);
				LeaseGrant other = client.enter(key, mode);
				Contender writer = client.connection().contend(LockTarget.exclusive(key), () -> {
				});
				assertThat(RedlockTestClient.await(writer.attempt(client.request(TTL, true))))
					.isInstanceOf(AttemptOutcome.Busy.class);
				assertThat(client.renew(one)).isInstanceOf(RenewalOutcome.Renewed.class);
				assertThat(RedlockTestClient.await(client.connection().find(key))).isPresent();
				assertThat(client.release(one, Duration.ofMillis(50))).isTrue();
				assertThat(RedlockTestClient.await(client.connection().forceRelease(key, Duration.ofMillis(50))))
					.isTrue();
				assertThat(client.release(other)).isFalse();
				writer.withdraw();
			}
			assertThat(client.refusedCommands()).isEmpty();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "+ping", "+unsubscribe" })
	void driverGoesOnWhereACommandOfItsOwnIsRefused(String part) {
		start(RULE.without(part), (context) -> {
			assertThat(context).hasNotFailed();
			FullCycle.run(context);
			FullCycle.runGroups(context);
			FullCycle.runSeveralKeys(context);
		});
	}

	private static void start(AclRule rule, ContextConsumer<AssertableApplicationContext> work) {
		SERVERS.askAll((commands) -> {
			// Otherwise the scripts and the state already exist.
			commands.scriptFlush();
			commands.flushall();
			return rule.create(commands);
		});
		String urls = SERVERS.endpoints()
			.stream()
			.map((node) -> "redis://" + rule.user() + ":" + AclRule.PASSWORD + "@" + node.name())
			.collect(Collectors.joining(","));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.redlock.nodes=" + urls, "lock.redlock.node-timeout=1s",
					"lock.redlock.quarantine-on-empty=false")
			.run(work);
	}

	@Test
	void releaseThatAMajorityRefusesIsNoneAndReportedOnceForEachNode() {
		as(RULE.without("+del"), (client) -> {
			LeaseGrant grant = client.acquire(RedlockTestClient.newKey());

			for (int i = 0; i < 2; i++) {
				assertThatThrownBy(() -> client.release(grant)).hasCauseInstanceOf(LockRefusedException.class);
			}

			Awaitility.await().untilAsserted(() -> assertThat(client.refusedCommands()).hasSize(3));
			assertThat(client.refusedCommands()).allMatch((refusal) -> refusal.contains("DEL"));
		});
	}

	@Test
	void commandThatAMinorityRefusesIsReportedOnceAndDoesNotPreventLocking() {
		as(RULE, (client) -> {
			client.awaitVotes(3);
			RedlockServers.ask(SERVERS.get(2), (commands) -> RULE.change(commands, "-del"));

			for (int i = 0; i < 3; i++) {
				assertThat(client.release(client.acquire(RedlockTestClient.newKey()))).isTrue();
			}

			Awaitility.await().untilAsserted(() -> assertThat(client.refusedCommands()).hasSize(1));
			assertThat(client.refusedCommands().get(0)).contains(SERVERS.endpoints().get(2).name(), "DEL", "'locks'");
		});
	}

	@Test
	void lockIsReleasedThoughItsWaitersCanNotBeNotified() {
		as(RULE, (client) -> {
			String key = RedlockTestClient.newKey();
			LeaseGrant grant = client.acquire(key);
			Contender waiter = client.connection().contend(LockTarget.exclusive(key), () -> {
			});
			assertThat(RedlockTestClient.await(waiter.attempt(client.request(TTL, true))))
				.isInstanceOf(AttemptOutcome.Busy.class);
			SERVERS.askAll((commands) -> RULE.change(commands, "-publish"));

			assertThat(client.release(grant)).isTrue();

			assertThat(RedlockTestClient.await(waiter.attempt(client.request(TTL, true))))
				.isInstanceOf(AttemptOutcome.Granted.class);
			Awaitility.await()
				.untilAsserted(() -> assertThat(client.refusedCommands())
					.anyMatch((refusal) -> refusal.contains("PUBLISH") && refusal.contains("'locks'")));
		});
	}

	@Test
	void nodesThatDoNotSayWhoTheyAreAreRefused() {
		as(RULE.without("+info"), (client) -> {
			assertThat(client.attempt("any")).isInstanceOf(AttemptOutcome.Unavailable.class);
			// Two refusals end the attempt; the third answer may come after that.
			Awaitility.await().untilAsserted(() -> assertThat(client.refused()).hasSize(3));
			assertThat(client.refused())
				.allSatisfy((node, reason) -> assertThat(reason).contains("'withoutinfo'", "INFO", "NOPERM"));
		});
	}

	private static void as(AclRule rule, Consumer<RedlockTestClient> work) {
		SERVERS.askAll((commands) -> {
			commands.scriptFlush();
			commands.flushall();
			return rule.create(commands);
		});
		List<RedlockEndpoint> endpoints = SERVERS.endpoints()
			.stream()
			.map((node) -> RedlockEndpoint.parse("redis://" + rule.user() + ":" + AclRule.PASSWORD + "@" + node.name()))
			.toList();
		try (RedlockTestClient client = new RedlockTestClient(endpoints,
				RedlockTestClient.settings(endpoints, TTL, false, RedlockTestClient.PREFIX))) {
			work.accept(client);
		}
	}

	/**
	 * A part of the rule.
	 *
	 * @param part the part
	 * @param step the step at which startup fails without it
	 * @param refused the command that the nodes refuse then
	 */
	record Right(String part, String step, String refused) {

		@Override
		public String toString() {
			return this.part;
		}

	}

}
