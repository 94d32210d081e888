package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node that is killed and comes back empty may have forgotten a lock that it has voted
 * for. Each test has nodes of its own, with a longest ttl of two seconds.
 */
class RedlockQuarantineIntegrationTests {

	private final RedlockServers servers = RedlockServers.start(3);

	private final List<RedlockEndpoint> endpoints = this.servers.endpoints();

	@AfterEach
	void end() {
		this.servers.kill();
	}

	@Test
	void nodeThatForgotItsLocksDoesNotVoteUntilTheyAreOver() {
		vote();
		try (RedlockTestClient client = new RedlockTestClient(this.endpoints, true)) {
			awaitVotes(client, 3);
			LeaseGrant held = holdAtTwoNodesOneOfWhichForgets(client);

			// The third node is free, the second one empty: a majority that knows
			// nothing.
			assertThat(client.attempt("held")).isNotInstanceOf(AttemptOutcome.Granted.class);

			Awaitility.await().untilAsserted(() -> assertThat(client.quarantines()).containsKey(name(1)));
			assertThat(client.attempt("held")).isNotInstanceOf(AttemptOutcome.Granted.class);
			awaitVotes(client, 3);
			assertThat(client.estimated()).isEmpty();
			assertThat(client.acquire("held").token().first()).isGreaterThan(held.token().last());
		}
	}

	@Test
	void withoutQuarantineTheSameNodeGivesTheLockAwayTwice() {
		vote();
		try (RedlockTestClient client = new RedlockTestClient(this.endpoints, false)) {
			awaitVotes(client, 3);
			LeaseGrant held = holdAtTwoNodesOneOfWhichForgets(client);
			awaitVotes(client, 3);

			AttemptOutcome second = client.attempt("held");

			assertThat(second).as("an attempt while the first lease is valid by its holder's clock")
				.isInstanceOf(AttemptOutcome.Granted.class);
			assertThat(held.validUntil() - client.now()).isPositive();
		}
	}

	@Test
	void tokensGrowWhileNodesForgetOneAfterTheOther() {
		vote();
		try (RedlockTestClient client = new RedlockTestClient(this.endpoints, true)) {
			awaitVotes(client, 3);
			long last = 0;
			for (RedisProcess server : this.servers.all()) {
				for (int i = 0; i < 20; i++) {
					LeaseGrant grant = client.acquire("run");
					assertThat(grant.token().first()).isGreaterThan(last);
					last = grant.token().last();
					client.release(grant);
				}
				server.kill();
				server.restart();
				awaitVotes(client, 3);
			}
			assertThat(client.acquire("run").token().first()).isGreaterThan(last);
			assertThat(client.estimated()).isEmpty();
		}
	}

	/**
	 * Let the empty nodes vote, as a cluster that was set up long ago.
	 */
	private void vote() {
		try (RedlockTestClient first = new RedlockTestClient(this.endpoints, false)) {
			awaitVotes(first, 3);
		}
	}

	/**
	 * Take a lock that only the first two nodes keep, and let the second one forget it.
	 */
	private LeaseGrant holdAtTwoNodesOneOfWhichForgets(RedlockTestClient client) {
		RedisProcess second = this.servers.all().get(1);
		RedisProcess third = this.servers.all().get(2);
		LeaseGrant warm = client.acquire("warm");
		client.release(warm);
		LeaseGrant held = client.acquire("held");
		// What the third node has of it is gone, as if the request had been lost.
		this.servers.delete(third, "lock:{held}");
		second.kill();
		second.restart();
		return held;
	}

	private String name(int node) {
		return this.endpoints.get(node).name();
	}

	private void awaitVotes(RedlockTestClient client, int number) {
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.atMost(Duration.ofSeconds(20))
			.until(() -> client.voting().size() == number);
	}

}
