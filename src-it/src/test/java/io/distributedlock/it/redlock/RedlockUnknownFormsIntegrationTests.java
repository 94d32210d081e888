package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Values of a later version and damaged values count as taken: they are never free, and
 * never changed.
 */
class RedlockUnknownFormsIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(60);

	private final RedlockServers servers = RedlockServers.shared().first(3);

	private final String prefix = "lock:" + OwnerId.random().value().substring(0, 8) + ":";

	private final String lock = this.prefix + "{key}";

	private final RedlockTestClient client = new RedlockTestClient(this.servers.endpoints(),
			RedlockTestClient.settings(this.servers.endpoints(), TTL, false, this.prefix))
		.awaitVotes(3);

	@AfterEach
	void end() {
		this.client.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "v2;17", "17;shared", "17/2;1", "17|3<4<5", "9007199254740993", "-1", "" })
	void counterOfAnotherFormIsTakenAndStays(String counter) {
		set(2, ":c", counter);

		assertTaken("counter");
		assertThat(atNodes(2, ":c")).containsOnly(counter);
		assertThat(this.servers.askAll((commands) -> commands.exists(this.lock))).containsOnly(0L);
	}

	@Test
	void counterOfAnotherFormAtAMinorityDoesNotPreventLocking() {
		set(1, ":c", "v2;17");

		assertThat(this.client.release(this.client.acquire("key"))).isTrue();
		assertThat(atNodes(1, ":c")).containsOnly("v2;17");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"version\":2}", "v2|somebody", "" })
	void lockOfAnotherFormIsTakenAndStays(String value) {
		set(3, "", value);

		assertTaken("lock");
		assertThatThrownBy(() -> force()).isInstanceOf(CompletionException.class)
			.cause()
			.isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("'key'");
		assertThat(atNodes(3, "")).containsOnly(value);
	}

	@ParameterizedTest
	@ValueSource(strings = { "shared", "permits" })
	void groupWithoutMembersIsBusyUntilItIsReleasedByForce(String kind) {
		set(3, "", kind);

		assertThat(this.client.attempt("key")).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(RedlockTestClient.await(this.client.connection().find("key"))).isEmpty();
		assertThat(RedlockTestClient.await(ListedLocks.all(this.client.connection()))).isEmpty();
		assertThat(atNodes(3, "")).containsOnly(kind);
		assertThat(force()).isTrue();
		assertThat(atNodes(3, "")).containsOnly("cooldown");
	}

	@Test
	void valueOfAnotherTypeIsTakenStaysAndHidesNoOtherLock() {
		this.servers.askAll((commands) -> commands.hset(this.lock, "version", "2"));
		this.client.acquire("other");

		assertTaken("another type");
		assertThatThrownBy(() -> RedlockTestClient.await(this.client.connection().find("key")))
			.hasCauseInstanceOf(LockUnavailableException.class);
		assertThat(RedlockTestClient.await(ListedLocks.all(this.client.connection()))).extracting(LockInfo::key)
			.containsExactly("other");
		assertThat(this.servers.askAll((commands) -> commands.hget(this.lock, "version"))).containsOnly("2");
	}

	@Test
	void marksOfAnotherFormAreTakenAndStay() {
		this.servers.askAll((commands) -> commands.set(this.prefix + "redlock:mark", "v2"));

		assertTaken("high-water marks");
		assertThat(this.servers.askAll((commands) -> commands.get(this.prefix + "redlock:mark"))).containsOnly("v2");
		assertThat(this.servers.askAll((commands) -> commands.exists(this.lock))).containsOnly(0L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "v2:ok:something", "ok:a.b:c:9007199254740993:0", "" })
	void stateOfAnotherFormIsRefusedAndStays(String state) {
		this.servers.askAll((commands) -> commands.set(this.prefix + "redlock:state", state));

		try (RedlockTestClient later = new RedlockTestClient(this.servers.endpoints(),
				RedlockTestClient.settings(this.servers.endpoints(), TTL, false, this.prefix))) {
			assertThat(later.attempt("key")).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class)
						.hasMessageContaining("later version"));
		}
		assertThat(this.servers.askAll((commands) -> commands.get(this.prefix + "redlock:state"))).containsOnly(state);
	}

	@Test
	void leaseBesideACounterOfAnotherFormIsNeitherRenewedNorLost() {
		LeaseGrant held = this.client.acquire("key");
		LeaseGrant other = this.client.acquire("other");
		set(2, ":c", "9007199254740993");

		assertThat(this.client.renew(held)).isInstanceOfSatisfying(RenewalOutcome.Unknown.class,
				(unknown) -> assertThat(unknown.cause()).hasMessageContaining("'key'"));
		assertThat(this.client.renew(other)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.release(held)).isTrue();
	}

	private void assertTaken(String found) {
		for (boolean waiting : List.of(false, true)) {
			AttemptOutcome outcome = this.client.attempt("key", this.client.request(TTL, waiting));
			assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(LockUnavailableException.class)
						.hasMessageContaining("'key'")
						.hasMessageContaining(found)
						.hasMessageContaining("later version"));
		}
	}

	private boolean force() {
		return RedlockTestClient.await(this.client.connection().forceRelease("key", Duration.ofMillis(103)));
	}

	private void set(int nodes, String suffix, String value) {
		for (int i = 0; i < nodes; i++) {
			RedlockServers.ask(this.servers.get(i), (commands) -> commands.set(this.lock + suffix, value));
		}
	}

	private List<String> atNodes(int nodes, String suffix) {
		return this.servers.first(nodes)
			.askAll((RedisCommands<String, String> commands) -> commands.get(this.lock + suffix));
	}

}
