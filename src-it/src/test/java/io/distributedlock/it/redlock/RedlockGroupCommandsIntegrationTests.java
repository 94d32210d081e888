package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.RedlockSettings;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands for groups that each of five nodes receives, and what they leave behind.
 */
class RedlockGroupCommandsIntegrationTests {

	private static final int PAIRS = 50;

	private final RedlockServers servers = RedlockServers.start(5);

	private final String key = RedlockTestClient.newKey();

	private final RedlockTestClient client = client();

	private final RedlockTestClient other = client();

	private final List<NodeMonitor> nodes = NodeMonitor.of(this.servers);

	@AfterEach
	void end() {
		this.nodes.forEach(NodeMonitor::close);
		this.client.close();
		this.other.close();
		this.servers.kill();
	}

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void memberEntersAndLeavesByOneScriptEachAtEveryNode(LockMode mode) {
		watch();

		for (int i = 0; i < PAIRS; i++) {
			this.client.release(this.client.enter(this.key + i, mode));
		}

		settle();
		assertThat(this.nodes).allSatisfy((node) -> {
			assertThat(node.entries()).isEqualTo(PAIRS);
			assertThat(node.leaves()).isEqualTo(PAIRS);
			assertThat(node.doors()).isZero();
			assertThat(node.publications()).isZero();
		});
	}

	@Test
	void laterReadersEnterAGroupByOneScriptAtEveryNode() {
		LeaseGrant first = this.other.enter(this.key, LockMode.SHARED);
		watch();

		this.client.release(this.client.enter(this.key, LockMode.SHARED));

		settle();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.entries()).isEqualTo(1));
		assertThat(this.other.release(first)).isTrue();
	}

	@Test
	void membersAreRenewedInOneScriptAtEveryNodeAndExclusiveLeasesInAnother() {
		List<Renewal> all = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			all.add(new Renewal(this.client.enter(this.key + i, LockMode.SHARED), RedlockTestClient.TTL));
			all.add(new Renewal(this.client.enter(this.key + "p" + i, LockMode.PERMITS), RedlockTestClient.TTL));
		}
		watch();
		renew(all);
		settle();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.renewals()).isEqualTo(1));

		all.add(5, new Renewal(this.client.acquire(this.key + "x"), RedlockTestClient.TTL));
		settle();
		this.nodes.forEach(NodeMonitor::forget);
		renew(all);

		settle();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.renewals()).isEqualTo(2));
	}

	private void renew(List<Renewal> all) {
		assertThat(RedlockTestClient.await(this.client.connection().renew(all)))
			.allMatch(RenewalOutcome.Renewed.class::isInstance);
	}

	@Test
	void waitingWriterClosesTheDoorByOneScriptMoreAndOpensItByAnother() {
		LeaseGrant reader = this.client.enter(this.key, LockMode.SHARED);
		Contender writer = this.other.connection().contend(LockTarget.exclusive(this.key), () -> {
		});
		watch();

		assertThat(RedlockTestClient.await(writer.attempt(this.other.request(RedlockTestClient.TTL, true))))
			.isInstanceOf(AttemptOutcome.Busy.class);

		settle();
		assertThat(this.nodes).allSatisfy((node) -> {
			assertThat(node.votes()).isEqualTo(1);
			assertThat(node.doors()).isEqualTo(1);
		});
		this.client.release(reader);
		assertThat(RedlockTestClient.await(writer.attempt(this.other.request(RedlockTestClient.TTL, true))))
			.isInstanceOf(AttemptOutcome.Granted.class);
		settle();
		assertThat(this.nodes).allSatisfy((node) -> {
			assertThat(node.doors()).isEqualTo(2);
			assertThat(node.publications()).isEqualTo(1);
		});
		assertThat(this.servers.askAll((commands) -> commands.exists("lock:{" + this.key + "}:d"))).containsOnly(0L);
	}

	@Test
	void writerThatMeetsAnotherWriterHasNoDoorToClose() {
		LeaseGrant held = this.client.acquire(this.key);
		Contender writer = this.other.connection().contend(LockTarget.exclusive(this.key), () -> {
		});
		watch();

		RedlockTestClient.await(writer.attempt(this.other.request(RedlockTestClient.TTL, true)));
		this.client.release(held);
		RedlockTestClient.await(writer.attempt(this.other.request(RedlockTestClient.TTL, true)));

		settle();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.doors()).isZero());
	}

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void groupThatHasEndedLeavesItsCounterOnly(LockMode mode) {
		LeaseGrant one = this.client.enter(this.key, mode);
		LeaseGrant another = this.other.enter(this.key, mode);
		String lock = "lock:{" + this.key + "}";
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.servers.askAll((commands) -> commands.keys("lock:{*")))
				.allSatisfy((names) -> assertThat(names).containsExactlyInAnyOrder(lock, lock + ":c", lock + ":s",
						lock + ":h")));
		assertThat(this.servers.askAll((commands) -> commands.pttl(lock)))
			.allMatch((rest) -> rest > 0 && rest <= RedlockTestClient.TTL.toMillis());
		for (String beside : List.of(":s", ":h")) {
			assertThat(this.servers.askAll((commands) -> commands.pttl(lock + beside)))
				.allMatch((rest) -> rest > 0 && rest <= RedlockTestClient.TTL.plusSeconds(2).toMillis());
		}

		this.client.release(one);
		this.other.release(another);

		Awaitility.await()
			.untilAsserted(() -> assertThat(this.servers.askAll((commands) -> commands.keys("lock:{*")))
				.allSatisfy((names) -> assertThat(names).containsExactly(lock + ":c")));
	}

	private RedlockTestClient client() {
		RedlockSettings settings = RedlockTestClient.settings(this.servers.endpoints(), RedlockTestClient.TTL, false,
				RedlockTestClient.PREFIX);
		return new RedlockTestClient(this.servers.endpoints(), null, settings, Duration.ZERO).awaitVotes(5);
	}

	private void watch() {
		settle();
		this.nodes.forEach(NodeMonitor::forget);
	}

	private void settle() {
		NodeMonitor.settle(this.nodes);
	}

}
