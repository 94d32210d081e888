package io.distributedlock.it.redlock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that nodes store for a key expires by itself.
 */
class RedlockLeftoversIntegrationTests {

	private static final String PREFIX = "lock:" + OwnerId.random().value().substring(0, 8) + ":";

	/**
	 * Longer than the test takes.
	 */
	private static final Duration TTL = Duration.ofSeconds(60);

	private final RedlockServers servers = RedlockServers.shared();

	private final RedlockTestClient client = client();

	private final RedlockTestClient other = client();

	private RedlockTestClient client() {
		return new RedlockTestClient(this.servers.endpoints(),
				RedlockTestClient.settings(this.servers.endpoints(), TTL, false, PREFIX))
			.awaitVotes(5);
	}

	@AfterEach
	void end() {
		this.other.close();
		this.client.close();
	}

	@Test
	void nothingButWhatBelongsToTheNodeStaysForGood() {
		this.client.release(this.client.acquire("released"));
		this.client.acquire("held");
		assertThat(this.client.renew(this.client.acquire("renewed"))).isInstanceOf(RenewalOutcome.Renewed.class);
		this.client.release(this.client.acquire("cooling"), TTL);
		attempt("tick", Instant.now(), true);
		this.client.acquire("broken");
		RedlockTestClient.await(this.client.connection().forceRelease("broken", TTL));
		this.client.acquire("waited-for");

		// A minority may not have executed all requests yet. A waiter's mark expires
		// soon, so it is set again before each look.
		Awaitility.await().untilAsserted(() -> {
			assertThat(attempt("waited-for", null, true)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(this.servers.askAll((commands) -> commands.keys(PREFIX + "{*")))
				.allMatch((keys) -> keys.containsAll(List.of(PREFIX + "{released}:c", PREFIX + "{held}",
						PREFIX + "{cooling}", PREFIX + "{tick}:c", PREFIX + "{waited-for}:w")));
		});
		assertThat(this.servers.askAll(RedlockLeftoversIntegrationTests::lasting))
			.containsOnly(Set.of(PREFIX + "redlock:mark", PREFIX + "redlock:state"));
	}

	private AttemptOutcome attempt(String key, Instant tick, boolean waiting) {
		Contender contender = this.other.connection().contend(LockTarget.exclusive(key), () -> {
		});
		AttemptOutcome outcome = RedlockTestClient.await(contender
			.attempt(new LeaseRequest(OwnerId.random(), TTL, 1, tick, waiting, Duration.ofSeconds(5), Duration.ZERO)));
		contender.withdraw();
		return outcome;
	}

	private static Set<String> lasting(RedisCommands<String, String> commands) {
		Set<String> names = new TreeSet<>(commands.keys(PREFIX + "*"));
		names.removeIf((name) -> commands.pttl(name) != -1);
		return names;
	}

}
