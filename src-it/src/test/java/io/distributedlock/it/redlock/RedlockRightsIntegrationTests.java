package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

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

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.redlock.RedlockEndpoint;
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
class RedlockRightsIntegrationTests {

	/**
	 * Longer than the tests take.
	 */
	private static final Duration TTL = Duration.ofSeconds(60);

	private static final RedlockServers SERVERS = RedlockServers.start(3);

	@AfterAll
	static void end() {
		SERVERS.kill();
	}

	static Stream<String> parts() {
		return Arrays.stream(SecuredRedlock.RULE.split(" "));
	}

	/**
	 * The driver sends the others when a connection ends or is new, and goes on without
	 * an answer.
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
	void partOfTheRuleThatIsMissingIsNamedWithNodeAndUser(String part) {
		List<String> rest = parts().filter((each) -> !each.equals(part)).toList();
		String user = "without" + part.replaceAll("\\W", "");
		String missing = part.startsWith("~") ? "keys"
				: part.startsWith("&") ? "channel" : part.substring(1).replace('|', ' ').toUpperCase(Locale.ROOT);

		as(user, rest,
				(client) -> assertThat(firstRefusal(client)).isInstanceOf(LockRefusedException.class)
					.hasMessageContaining("'" + user + "'")
					.hasMessageContaining(missing)
					.satisfies((refusal) -> assertThat(
							SERVERS.endpoints().stream().filter((node) -> refusal.getMessage().contains(node.name())))
						.hasSizeGreaterThanOrEqualTo(2)));
	}

	@Test
	void releaseThatAMajorityRefusesIsNoneAndReportedOnceForEachNode() {
		as("keeper", parts().filter((part) -> !part.equals("+del")).toList(), (client) -> {
			LeaseGrant grant = client.acquire(RedlockTestClient.newKey());

			for (int i = 0; i < 2; i++) {
				assertThatThrownBy(() -> client.release(grant)).hasCauseInstanceOf(LockRefusedException.class);
			}

			Awaitility.await().untilAsserted(() -> assertThat(client.refusedCommands()).hasSize(3));
			assertThat(client.refusedCommands()).allMatch((refusal) -> refusal.contains("DEL"));
		});
	}

	@Test
	void commandThatAMinorityRefusesIsReportedOnceAndKeepsNobodyFromLocking() {
		as("almost", parts().toList(), (client) -> {
			client.awaitVotes(3);
			RedlockServers.ask(SERVERS.get(2), (commands) -> setUser(commands, List.of("almost", "-del")));

			for (int i = 0; i < 3; i++) {
				assertThat(client.release(client.acquire(RedlockTestClient.newKey()))).isTrue();
			}

			Awaitility.await().untilAsserted(() -> assertThat(client.refusedCommands()).hasSize(1));
			assertThat(client.refusedCommands().get(0)).contains(SERVERS.endpoints().get(2).name(), "DEL", "'almost'");
		});
	}

	@Test
	void lockIsReleasedThoughItsWaitersCanNotBeTold() {
		as("silent", parts().toList(), (client) -> {
			String key = RedlockTestClient.newKey();
			LeaseGrant grant = client.acquire(key);
			Contender waiter = client.backend().contend(LockTarget.exclusive(key), () -> {
			});
			assertThat(RedlockTestClient.await(waiter.attempt(client.request(TTL, true))))
				.isInstanceOf(AttemptOutcome.Busy.class);
			SERVERS.askAll((commands) -> setUser(commands, List.of("silent", "-publish")));

			assertThat(client.release(grant)).isTrue();

			assertThat(RedlockTestClient.await(waiter.attempt(client.request(TTL, true))))
				.isInstanceOf(AttemptOutcome.Granted.class);
			Awaitility.await()
				.untilAsserted(() -> assertThat(client.refusedCommands())
					.anyMatch((refusal) -> refusal.contains("PUBLISH") && refusal.contains("'silent'")));
		});
	}

	@Test
	void nodesThatDoNotSayWhoTheyAreAreRefused() {
		as("nobody", parts().filter((part) -> !part.equals("+info")).toList(), (client) -> {
			assertThat(client.attempt("any")).isInstanceOf(AttemptOutcome.Unavailable.class);
			assertThat(client.refused()).hasSize(3)
				.allSatisfy((node, reason) -> assertThat(reason).contains("'nobody'", "INFO", "NOPERM"));
		});
	}

	private static void as(String user, List<String> rule, Consumer<RedlockTestClient> work) {
		List<String> whole = new ArrayList<>(List.of(user, "reset", "on", ">secret"));
		whole.addAll(rule);
		SERVERS.askAll((commands) -> {
			// Otherwise nobody has to load scripts, or to write the state.
			commands.scriptFlush();
			commands.flushall();
			return setUser(commands, whole);
		});
		List<RedlockEndpoint> endpoints = SERVERS.endpoints()
			.stream()
			.map((node) -> RedlockEndpoint.parse("redis://" + user + ":secret@" + node.name()))
			.toList();
		try (RedlockTestClient client = new RedlockTestClient(endpoints,
				RedlockTestClient.settings(endpoints, TTL, false, RedlockTestClient.PREFIX))) {
			work.accept(client);
		}
	}

	private static String setUser(RedisCommands<String, String> commands, List<String> userAndRule) {
		CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
		userAndRule.forEach(args::add);
		return commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
	}

	/**
	 * Return what the first operation that is not possible ends with.
	 */
	private static Throwable firstRefusal(RedlockTestClient client) {
		String key = RedlockTestClient.newKey();
		LockTarget target = LockTarget.exclusive(key);
		AttemptOutcome first = client.attempt(key, client.request(TTL.dividedBy(2), false));
		if (!(first instanceof AttemptOutcome.Granted granted)) {
			return ((AttemptOutcome.Unavailable) first).cause();
		}
		Contender waiter = client.backend().contend(target, () -> {
		});
		AttemptOutcome second = RedlockTestClient.await(waiter.attempt(client.request(TTL, true)));
		if (second instanceof AttemptOutcome.Unavailable unavailable) {
			return unavailable.cause();
		}
		if (client.renew(granted.grant()) instanceof RenewalOutcome.Unknown unknown) {
			return unknown.cause();
		}
		try {
			assertThat(RedlockTestClient.await(client.backend().wakesContenders(target))).isTrue();
			RedlockTestClient.await(client.backend().find(key));
			RedlockTestClient.await(client.backend().list());
			client.release(granted.grant());
		}
		catch (CompletionException ex) {
			return ex.getCause();
		}
		waiter.withdraw();
		return new AssertionError("Nothing was refused");
	}

	/**
	 * Use all that there is.
	 * @param patience how long a signal is waited for, which never comes where the right
	 * to hear of it is missing
	 */
	private static void useEverything(RedlockTestClient client, Duration patience) {
		String key = RedlockTestClient.newKey();
		// A renewal changes nothing where as much is left as it asks for.
		LeaseGrant grant = ((AttemptOutcome.Granted) client.attempt(key, client.request(TTL.dividedBy(2), false)))
			.grant();
		assertThat(client.renew(grant)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(RedlockTestClient.await(client.backend().find(key))).isPresent();
		assertThat(RedlockTestClient.await(client.backend().list())).extracting(LockInfo::key).contains(key);
		AtomicInteger wakeUps = new AtomicInteger();
		Contender waiter = client.backend().contend(LockTarget.exclusive(key), wakeUps::incrementAndGet);
		assertThat(RedlockTestClient.await(waiter.attempt(client.request(TTL, true))))
			.isInstanceOf(AttemptOutcome.Busy.class);
		Awaitility.await().atMost(patience).until(() -> wakeUps.get() > 0);
		int before = wakeUps.get();
		assertThat(client.release(grant)).isTrue();
		Awaitility.await().atMost(patience).until(() -> wakeUps.get() > before);
		assertThat(RedlockTestClient.await(client.backend().wakesContenders(LockTarget.exclusive(key)))).isTrue();
		waiter.withdraw();
		client.acquire(key);
		assertThat(RedlockTestClient.await(client.backend().forceRelease(key, Duration.ofMillis(100)))).isTrue();
	}

}
