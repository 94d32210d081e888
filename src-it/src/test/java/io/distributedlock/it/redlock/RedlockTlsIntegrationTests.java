package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.redlock.RedlockEndpoint;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * TLS hides what is sent to nodes. The scheme of each node's URL decides.
 */
class RedlockTlsIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(60);

	private static final String PREFIX = "lock:wire:";

	private final List<NodeProxy> ways = IntStream.range(0, 3)
		.mapToObj((index) -> NodeProxy
			.to((index < 2) ? SecuredRedlock.endpoints().get(index).port() : RedlockServers.shared().get(0).port()))
		.toList();

	@AfterEach
	void end() {
		this.ways.forEach(NodeProxy::close);
	}

	@Test
	void nothingCanBeReadOnTheWayToNodesWithTlsAndTheOthersArePlain() {
		List<RedlockEndpoint> nodes = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			nodes.add(RedlockEndpoint
				.parse(((i < 2) ? "rediss://" + SecuredRedlock.USER + ":" + SecuredRedlock.PASSWORD + "@" : "redis://")
						+ "127.0.0.1:" + this.ways.get(i).port()));
		}
		String key = RedlockTestClient.newKey();
		AtomicInteger wakeUps = new AtomicInteger();

		try (RedlockTestClient client = new RedlockTestClient(nodes, SecuredRedlock.tls(),
				RedlockTestClient.settings(nodes, TTL, false, PREFIX), Duration.ZERO)) {
			client.awaitVotes(3);
			LeaseGrant grant = client.acquire(key);
			Contender waiter = client.connection().contend(LockTarget.exclusive(key), wakeUps::incrementAndGet);
			RedlockTestClient.await(waiter.attempt(client.request(TTL, true)));
			assertThat(RedlockTestClient.await(client.connection().wakesContenders(LockTarget.exclusive(key))))
				.isTrue();
			Awaitility.await().until(() -> this.ways.get(2).seen().contains("SUBSCRIBE"));
			client.release(grant);
			waiter.withdraw();
		}

		List<String> secrets = List.of(key, PREFIX, "HELLO", "EVALSHA", "SUBSCRIBE", "run_id");
		assertThat(this.ways.get(2).seen()).contains(secrets);
		for (int i = 0; i < 2; i++) {
			assertThat(this.ways.get(i).seen()).isNotEmpty()
				.doesNotContain(secrets)
				.doesNotContain(SecuredRedlock.USER, SecuredRedlock.PASSWORD);
		}
	}

}
