package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node that is killed and comes back empty may have forgotten a lock that it has voted
 * for. Each test has three nodes of its own.
 */
@Execution(ExecutionMode.CONCURRENT)
class RedlockQuarantineIntegrationTests {

	private final RedlockServers servers = RedlockServers.start(3);

	private final TcpProxy wayToThird = TcpProxy.to(this.servers.get(2).port());

	private final List<RedlockEndpoint> endpoints = endpoints();

	private final String key = RedlockTestClient.newKey();

	private List<RedlockEndpoint> endpoints() {
		List<RedlockEndpoint> all = new ArrayList<>(this.servers.first(2).endpoints());
		all.add(RedlockServers.endpoint(this.wayToThird.port()));
		return all;
	}

	@AfterEach
	void end() {
		this.wayToThird.close();
		this.servers.kill();
	}

	@Test
	void nodeThatForgotItsLocksDoesNotVoteUntilTheyAreOver() {
		setUp();
		try (RedlockTestClient client = client(true).awaitVotes(3)) {
			LeaseGrant held = holdAtTwoNodesOneOfWhichForgets(client);

			// The lock is free at the third node, and the second node is empty: together
			// they are a majority without the lease.
			Awaitility.await().until(() -> client.quarantines().contains(name(1)) && client.voting().contains(name(2)));
			assertThat(client.attempt(this.key)).isNotInstanceOf(AttemptOutcome.Granted.class);

			client.awaitVotes(3);
			assertThat(client.now()).isGreaterThan(held.validUntil());
			assertThat(client.quarantine(name(1))).isGreaterThan(RedlockTestClient.TTL);
			assertThat(client.estimated()).isEmpty();
			assertThat(client.acquire(this.key).token().first()).isGreaterThan(held.token().last());
		}
	}

	/**
	 * The same with clients that treat an empty node as a new one, as they would without
	 * quarantines.
	 */
	@Test
	void withoutQuarantineTheSameNodeGivesTheLockAwayTwice() {
		// Longer than the test takes, so no quarantine ends here.
		try (RedlockTestClient client = client(false, Duration.ofSeconds(60)).awaitVotes(3)) {
			LeaseGrant held = holdAtTwoNodesOneOfWhichForgets(client);
			client.awaitVotes(3);

			AttemptOutcome second = client.attempt(this.key);

			assertThat(second).as("an attempt while the first lease is valid by its holder's clock")
				.isInstanceOf(AttemptOutcome.Granted.class);
			assertThat(held.validUntil() - client.now()).isPositive();
		}
	}

	@Test
	void tokensGrowWhileNodesForgetOneAfterTheOther() {
		setUp();
		try (RedlockTestClient client = client(true).awaitVotes(3)) {
			AtomicLong last = new AtomicLong();
			for (int each = 0; each < 3; each++) {
				int node = each;
				last.set(use(client, last.get()));
				this.servers.get(node).kill();
				this.servers.get(node).restart();
				// The others serve it in the meantime.
				Awaitility.await().pollInterval(Duration.ofMillis(1)).atMost(Duration.ofSeconds(60)).until(() -> {
					last.set(use(client, last.get()));
					return client.quarantines().contains(name(node)) && client.voting().size() == 3;
				});
			}
			assertThat(client.acquire(this.key).token().first()).isGreaterThan(last.get());
			assertThat(client.estimated()).isEmpty();
			assertThat(client.quarantines()).hasSize(3);
		}
	}

	@Test
	void nodeThatKeptItsDataIsInQuarantineTooForItMayLackTheLastSecond() {
		RedlockServers durable = RedlockServers.start(3, "--appendonly", "yes", "--appendfsync", "always");
		try (RedlockTestClient client = new RedlockTestClient(durable.endpoints()).awaitVotes(3)) {
			LeaseGrant held = client.acquire(this.key);
			String name = durable.endpoints().get(1).name();

			durable.get(1).kill();
			durable.get(1).restart();

			Awaitility.await().until(() -> client.quarantines().contains(name));
			client.awaitVotes(3);
			assertThat(client.quarantine(name)).isGreaterThan(RedlockTestClient.TTL);
			assertThat(client.acquire(this.key).token().first()).isGreaterThan(held.token().last());
		}
		finally {
			durable.kill();
		}
	}

	@Test
	void clusterThatForgotEverythingIsUnavailableUntilEveryLeaseIsOver() {
		setUp();
		try (RedlockTestClient client = client(true).awaitVotes(3)) {
			LeaseGrant held = client.acquire(this.key);
			this.servers.askAll((commands) -> commands.flushall());

			assertThat(client.attempt(this.key)).isInstanceOf(AttemptOutcome.Unavailable.class);
			Awaitility.await().until(() -> client.quarantines().size() == 3);
			assertThat(client.attempt(this.key)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause())
						.hasMessageContaining("enough of them vote again in PT"));

			client.awaitVotes(3);
			assertThat(client.now()).isGreaterThan(held.validUntil());
			assertThat(client.estimated()).as("who had to take the clocks for the tokens").isNotEmpty();
			assertThat(client.acquire(this.key).token().first()).isGreaterThan(held.token().last());
		}
	}

	@Test
	void clusterThatIsUsedForTheFirstTimeGrantsNothingUntilEveryLeaseIsOver() {
		try (RedlockTestClient client = client(true)) {
			assertThat(client.attempt(this.key)).isInstanceOf(AttemptOutcome.Unavailable.class);

			client.awaitVotes(3);

			assertThat(client.quarantines()).hasSize(3);
			assertThat(client.quarantine(name(0))).isGreaterThan(RedlockTestClient.TTL);
			client.acquire(this.key);
		}
	}

	/**
	 * Let the empty nodes vote, as in a cluster that was set up long ago.
	 */
	private void setUp() {
		try (RedlockTestClient first = client(false).awaitVotes(3)) {
			first.release(first.acquire("first"));
		}
	}

	private RedlockTestClient client(boolean quarantineOnEmpty) {
		return client(quarantineOnEmpty, RedlockTestClient.TTL);
	}

	private RedlockTestClient client(boolean quarantineOnEmpty, Duration ttl) {
		return new RedlockTestClient(this.endpoints,
				RedlockTestClient.settings(this.endpoints, ttl, quarantineOnEmpty, RedlockTestClient.PREFIX));
	}

	/**
	 * Acquire a lock while the third node can't be reached, and let the second one forget
	 * it.
	 */
	private LeaseGrant holdAtTwoNodesOneOfWhichForgets(RedlockTestClient client) {
		this.wayToThird.cut();
		client.awaitVotes(2);
		LeaseGrant held = client.acquire(this.key);
		RedisProcess second = this.servers.get(1);
		second.kill();
		this.wayToThird.restore();
		second.restart();
		return held;
	}

	private long use(RedlockTestClient client, long last) {
		if (client.attempt(this.key) instanceof AttemptOutcome.Granted granted) {
			assertThat(granted.grant().token().first()).isGreaterThan(last);
			client.release(granted.grant());
			return granted.grant().token().last();
		}
		return last;
	}

	private String name(int node) {
		return this.endpoints.get(node).name();
	}

}
