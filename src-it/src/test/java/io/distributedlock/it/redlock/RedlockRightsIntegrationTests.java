package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

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
	void noPartOfTheRuleIsTooMuch(String part) {
		List<String> rest = parts().filter((each) -> !each.equals(part)).toList();

		as("without" + part.replaceAll("\\W", ""), rest,
				(client) -> assertThatThrownBy(() -> useEverything(client, Duration.ofSeconds(4)))
					.isInstanceOf(Throwable.class));
	}

	@Test
	void nodesThatDoNotSayWhoTheyAreAreRefused() {
		as("nobody", parts().filter((part) -> !part.equals("+info")).toList(), (client) -> {
			assertThat(client.attempt("any")).isInstanceOf(AttemptOutcome.Unavailable.class);
			assertThat(client.refused()).hasSize(3)
				.allSatisfy((node, reason) -> assertThat(reason).startsWith("NOPERM").contains("info"));
		});
	}

	private static void as(String user, List<String> rule, Consumer<RedlockTestClient> work) {
		SERVERS.askAll((commands) -> {
			CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8).add("SETUSER")
				.add(user)
				.add("reset")
				.add("on")
				.add(">secret");
			rule.forEach(args::add);
			// Otherwise nobody has to load scripts.
			commands.scriptFlush();
			return commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
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
		waiter.withdraw();
		client.acquire(key);
		assertThat(RedlockTestClient.await(client.backend().forceRelease(key, Duration.ofMillis(100)))).isTrue();
	}

}
