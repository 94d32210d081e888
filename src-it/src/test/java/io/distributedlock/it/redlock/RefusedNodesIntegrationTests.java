package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.LockRefusedException;
import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.it.redis.RedisProcess;
import io.distributedlock.spi.AttemptOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Nodes that could lose a lock, or that other clients use with other settings, are not
 * used. The remaining nodes are.
 */
class RefusedNodesIntegrationTests {

	private final RedlockServers sound = RedlockServers.start(2);

	private RedisProcess third = RedisProcess.start();

	@AfterEach
	void end() {
		this.third.close();
		this.sound.kill();
	}

	@Test
	void nodeThatEvictsIsRefused() {
		startThird("--maxmemory", "100mb", "--maxmemory-policy", "volatile-lru");

		assertThirdIsRefused("maxmemory");
	}

	@Test
	void nodeThatRefusesWhatItCanNotKeepIsUsed() {
		startThird("--maxmemory", "100mb", "--maxmemory-policy", "noeviction");

		try (RedlockTestClient client = client()) {
			client.awaitVotes(3);
		}
	}

	@Test
	void replicaIsRefused() {
		try (RedisProcess primary = RedisProcess.start()) {
			startThird("--replicaof", "127.0.0.1 " + primary.port());

			assertThirdIsRefused("replica");
		}
	}

	@Test
	void nodeWithAReplicaIsRefused() {
		try (RedisProcess replica = RedisProcess.start("--replicaof", "127.0.0.1 " + this.third.port())) {
			Awaitility.await()
				.until(() -> RedlockServers.ask(this.third, (commands) -> commands.info("replication"))
					.contains("connected_slaves:1"));

			assertThirdIsRefused("replica");
		}
	}

	@Test
	void nodeThatIsMadeAReplicaIsFoundOut() {
		try (RedisProcess primary = RedisProcess.start(); RedlockTestClient client = client()) {
			client.awaitVotes(3);

			RedlockServers.ask(this.third, (commands) -> commands.replicaof("127.0.0.1", primary.port()));

			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.untilAsserted(() -> assertThat(client.refused()).containsOnlyKeys(thirdName()));
		}
	}

	@Test
	void clientsWithAnotherListOfNodesAreRefused() {
		try (RedlockTestClient client = client(); RedisProcess other = RedisProcess.start()) {
			client.awaitVotes(3);
			List<RedlockEndpoint> list = List.of(endpoints().get(0), endpoints().get(1),
					RedlockServers.endpoint(other.port()));

			try (RedlockTestClient stranger = new RedlockTestClient(list)) {
				assertThat(stranger.attempt("any")).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
						(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("another list of nodes"));
				assertThat(stranger.refused()).containsOnlyKeys(list.get(0).name(), list.get(1).name());
			}

			assertThat(client.release(client.acquire("any"))).isTrue();
			assertThat(client.voting()).hasSize(3);
		}
	}

	@Test
	void clientsWithAnotherLongestTtlAreRefused() {
		try (RedlockTestClient client = client()) {
			client.awaitVotes(3);

			try (RedlockTestClient stranger = new RedlockTestClient(endpoints(),
					RedlockTestClient.settings(endpoints(), Duration.ofSeconds(3), false, RedlockTestClient.PREFIX))) {
				assertThat(stranger.attempt("any")).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
						(unavailable) -> assertThat(unavailable.cause()).hasMessageContaining("longest ttl"));
			}
		}
	}

	@Test
	void clientsThatListTheSameNodesInAnotherOrderShareTheirLocks() {
		try (RedlockTestClient client = client()) {
			client.awaitVotes(3);
			List<RedlockEndpoint> list = List.of(endpoints().get(2), endpoints().get(0), endpoints().get(1));

			try (RedlockTestClient other = new RedlockTestClient(list)) {
				other.awaitVotes(3);
				client.acquire("shared");
				assertThat(other.attempt("shared")).isInstanceOf(AttemptOutcome.Busy.class);
			}
		}
	}

	@Test
	void serverThatIsListedUnderTwoAddressesIsRefused() {
		List<RedlockEndpoint> list = List.of(endpoints().get(0), endpoints().get(1),
				RedlockEndpoint.parse("redis://localhost:" + this.sound.get(0).port()));

		try (RedlockTestClient client = new RedlockTestClient(list)) {
			assertThat(client.attempt("any")).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class)
						.hasMessageContaining(list.get(0).name())
						.hasMessageContaining(list.get(2).name())
						.hasMessageContaining("one server"));
			assertThatThrownBy(() -> RedlockTestClient.await(client.connection().find("any")))
				.hasCauseInstanceOf(LockRefusedException.class);
			assertThat(client.voting()).hasSize(2);
		}
	}

	@Test
	void nodeThatTurnsIntoAnotherOnesServerHasNoVoteBesideIt() {
		try (NodeProxy way = NodeProxy.to(this.third.port());
				RedlockTestClient client = client(way, endpoints().get(0), endpoints().get(1))) {
			client.awaitVotes(3);
			client.release(client.acquire("any"));

			way.lead(this.sound.get(0).port());

			Awaitility.await()
				.untilAsserted(() -> assertThat(client.refused()).containsOnlyKeys("127.0.0.1:" + way.port()));
			assertThat(client.refused().values())
				.allSatisfy((reason) -> assertThat(reason).contains("one server with " + endpoints().get(0).name()));
			client.release(client.acquire("other"));
			this.sound.get(1).pause();
			assertThat(client.attempt("third")).isInstanceOf(AttemptOutcome.Unavailable.class);
		}
	}

	@Test
	void nodesThatChangePlacesAreNotTakenForOneServer() {
		try (NodeProxy one = NodeProxy.to(this.third.port());
				NodeProxy other = NodeProxy.to(this.sound.get(0).port());
				RedlockTestClient client = new RedlockTestClient(List.of(RedlockServers.endpoint(one.port()),
						RedlockServers.endpoint(other.port()), endpoints().get(1)))) {
			client.awaitVotes(3);
			client.release(client.acquire("any"));
			int returns = client.returns();

			// The first node is redirected to the second one's server while the second
			// still uses it.
			one.lead(this.sound.get(0).port());
			Awaitility.await().until(() -> !client.refused().isEmpty());
			other.lead(this.third.port());

			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> client.returns() >= returns + 2 && client.voting().size() == 3);
			client.release(client.acquire("other"));
		}
	}

	@Test
	void serverVotesUnderAnotherAddressIfTheFirstHasFallenSilent() {
		try (NodeProxy one = NodeProxy.to(this.sound.get(0).port());
				NodeProxy other = NodeProxy.to(this.third.port());
				RedlockTestClient client = new RedlockTestClient(List.of(RedlockServers.endpoint(one.port()),
						RedlockServers.endpoint(other.port()), endpoints().get(1)))) {
			client.awaitVotes(3);
			client.release(client.acquire("any"));
			int returns = client.returns();
			one.delayConnections(Duration.ofMinutes(1));
			one.silence();

			other.lead(this.sound.get(0).port());

			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> client.returns() > returns && client.voting().contains("127.0.0.1:" + other.port()));
			assertThat(client.refused()).isEmpty();
			client.release(client.acquire("other"));
		}
	}

	private RedlockTestClient client(NodeProxy way, RedlockEndpoint... others) {
		List<RedlockEndpoint> list = new ArrayList<>(List.of(others));
		list.add(RedlockServers.endpoint(way.port()));
		return new RedlockTestClient(list);
	}

	private void startThird(String... settings) {
		this.third.close();
		this.third = RedisProcess.start(settings);
	}

	private void assertThirdIsRefused(String reason) {
		try (RedlockTestClient client = client()) {
			assertThat(client.release(client.acquire("any"))).isTrue();

			Awaitility.await()
				.untilAsserted(() -> assertThat(client.refused()).hasEntrySatisfying(thirdName(),
						(refusal) -> assertThat(refusal).contains(reason)));
			assertThat(client.voting()).doesNotContain(thirdName());
		}
	}

	private RedlockTestClient client() {
		return new RedlockTestClient(endpoints());
	}

	private List<RedlockEndpoint> endpoints() {
		return List.of(this.sound.endpoints().get(0), this.sound.endpoints().get(1),
				RedlockServers.endpoint(this.third.port()));
	}

	private String thirdName() {
		return endpoints().get(2).name();
	}

}
