package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.net.TcpProxy;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes go down while leases are held: two of five at a time, and finally each of them.
 */
class NodesGoingDownIntegrationTests {

	private static final int NODES = 5;

	private final RedlockServers servers = RedlockServers.start(NODES);

	private final List<TcpProxy> ways = this.servers.all()
		.stream()
		.map((server) -> TcpProxy.to(server.port()))
		.toList();

	private final List<RedlockEndpoint> endpoints = this.ways.stream()
		.map((way) -> RedlockServers.endpoint(way.port()))
		.toList();

	private final String key = RedlockTestClient.newKey();

	private final RedlockTestClient client = client(false);

	private final RedlockTestClient other = client(true);

	private RedlockTestClient client(boolean quarantineOnEmpty) {
		return new RedlockTestClient(this.endpoints, RedlockTestClient.settings(this.endpoints, RedlockTestClient.TTL,
				quarantineOnEmpty, RedlockTestClient.PREFIX))
			.awaitVotes(NODES);
	}

	@AfterEach
	void end() {
		this.other.close();
		this.client.close();
		this.ways.forEach(TcpProxy::close);
		this.servers.kill();
	}

	@Test
	void leaseOutlivesTheCutOfEveryTwoNodes() {
		LeaseGrant held = this.client.acquire(this.key);
		long last = 0;

		for (int first = 0; first < NODES; first++) {
			for (int second = first + 1; second < NODES; second++) {
				this.ways.get(first).cut();
				this.ways.get(second).cut();
				this.client.awaitVotes(NODES - 2);
				this.other.awaitVotes(NODES - 2);

				assertThat(this.client.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
				assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
				LeaseGrant next = this.other.acquire("next");
				assertThat(next.token().first()).isGreaterThan(last);
				last = next.token().last();
				assertThat(this.other.release(next)).isTrue();

				this.ways.get(first).restore();
				this.ways.get(second).restore();
				this.client.awaitVotes(NODES);
				this.other.awaitVotes(NODES);
				awaitFree("next");
				assertThat(this.client.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
			}
		}

		assertThat(this.client.release(held)).isTrue();
	}

	/**
	 * In the end every node has forgotten the lease once. It stands because renewals put
	 * it back at each node that votes again, unless another client has asked for it in
	 * the meantime.
	 */
	@Test
	void leaseOutlivesTheDataOfEveryNode() {
		// From now on, both clients treat an empty node as one that has forgotten.
		this.client.close();
		try (RedlockTestClient holder = client(true)) {
			LeaseGrant held = holder.acquire(this.key);

			for (int node = 0; node < NODES; node++) {
				forget(holder, held, node);
			}

			assertThat(this.other.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(holder.estimated()).isEmpty();
			assertThat(holder.release(held)).isTrue();
			assertThat(this.other.acquire(this.key).token().first()).isGreaterThan(held.token().last());
		}
	}

	private void forget(RedlockTestClient holder, LeaseGrant held, int node) {
		String name = this.endpoints.get(node).name();
		this.servers.get(node).kill();
		this.servers.get(node).restart();
		Awaitility.await().pollInterval(Duration.ofMillis(200)).atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			assertThat(holder.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(holder.quarantines()).contains(name);
			assertThat(holder.voting()).hasSize(NODES);
			assertThat(isKeptBy(node, this.key)).isTrue();
		});
	}

	/**
	 * Nodes that were cut off keep a lock until its holder reaches them again.
	 */
	private void awaitFree(String released) {
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
			for (int node = 0; node < NODES; node++) {
				if (isKeptBy(node, released)) {
					return false;
				}
			}
			return true;
		});
	}

	private boolean isKeptBy(int node, String name) {
		return RedlockServers.ask(this.servers.get(node), (commands) -> commands.exists("lock:{" + name + "}")) == 1;
	}

}
