package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lettuce.core.KillArgs;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults of nodes, by operators and machines. Each test has three nodes of its own.
 */
class RedlockFaultIntegrationTests {

	private final RedlockServers servers = RedlockServers.start(3);

	private final String key = RedlockTestClient.newKey();

	private final RedlockTestClient client = client();

	private RedlockTestClient client() {
		// As in a cluster that was set up long ago.
		new RedlockTestClient(this.servers.endpoints()).awaitVotes(3).close();
		return new RedlockTestClient(this.servers.endpoints(), RedlockTestClient.settings(this.servers.endpoints(),
				RedlockTestClient.TTL, true, RedlockTestClient.PREFIX))
			.awaitVotes(3);
	}

	@AfterEach
	void end() {
		this.client.close();
		this.servers.kill();
	}

	@Test
	void leaseStandsWhereOneNodeWasFlushedAndIsPutBackThereWhenThatVotesAgain() {
		LeaseGrant held = this.client.acquire(this.key);
		Awaitility.await().until(() -> isKeptBy(2));

		RedlockServers.ask(this.servers.get(2), (commands) -> commands.flushall());

		assertThat(this.client.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
		Awaitility.await().until(() -> this.client.quarantines().contains(name(2)));
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
			assertThat(this.client.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
			return isKeptBy(2);
		});
		assertThat(this.client.voting()).contains(name(2));
		assertThat(this.client.release(held)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void memberStandsWhereOneNodeWasFlushedAndIsPutBackThereBesideANewerOne(LockMode mode) {
		LeaseGrant held = this.client.enter(this.key, mode);
		Awaitility.await().until(() -> isKeptBy(2));

		RedlockServers.ask(this.servers.get(2), (commands) -> commands.flushall());

		assertThat(this.client.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		LeaseGrant newer = this.client.enter(this.key, mode);
		Awaitility.await().until(() -> this.client.quarantines().contains(name(2)));
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
			assertThat(this.client.renew(newer)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(this.client.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
			return membersAt(2) == 2;
		});
		assertThat(this.client.release(held)).isTrue();
		assertThat(this.client.release(newer)).isTrue();
		Awaitility.await().until(() -> membersAt(2) == 0 && !isKeptBy(2));
		assertThat(this.client.release(this.client.acquire(this.key))).isTrue();
	}

	private long membersAt(int node) {
		return RedlockServers.ask(this.servers.get(node), (commands) -> commands.zcard("lock:{" + this.key + "}:s"));
	}

	@Test
	void killedConnectionsCostNoLease() {
		for (int round = 0; round < 5; round++) {
			LeaseGrant held = this.client.acquire(this.key);
			killConnections();
			assertThat(this.client.renew(held)).isInstanceOf(RenewalOutcome.Renewed.class);
			killConnections();
			assertThat(RedlockTestClient.await(this.client.connection().find(this.key))).isPresent();
			killConnections();
			assertThat(this.client.release(held)).isTrue();
			killConnections();
		}
		assertThat(this.client.quarantines()).isEmpty();
	}

	@Test
	void nodesThatForgotTheirScriptsAreAskedAgainAndLeasesStand() {
		LeaseGrant held = this.client.acquire(this.key);
		this.servers.askAll((commands) -> commands.scriptFlush());

		// It may have been a restart, so the next call finds no voting node.
		assertThat(this.client.attempt(RedlockTestClient.newKey())).isInstanceOf(AttemptOutcome.Unavailable.class);

		Awaitility.await()
			.untilAsserted(() -> assertThat(this.client.attempt(RedlockTestClient.newKey()))
				.isInstanceOf(AttemptOutcome.Granted.class));
		this.client.awaitVotes(3);
		assertThat(this.client.release(held)).isTrue();
		assertThat(this.client.quarantines()).isEmpty();
	}

	@Test
	void nodeThatStandsStillIsNotWaitedForAndKeepsNothingOfWhatItMissed() {
		List<LeaseGrant> held = new ArrayList<>();
		this.servers.get(2).pause();

		for (int i = 0; i < 20; i++) {
			held.add(this.client.acquire(this.key + i));
		}
		for (LeaseGrant grant : held) {
			assertThat(this.client.release(grant)).isTrue();
		}
		this.servers.get(2).resume();

		this.client.awaitVotes(3);
		Awaitility.await()
			.until(() -> RedlockServers.ask(this.servers.get(2), (commands) -> commands.keys("lock:*}")).isEmpty());
		for (int i = 0; i < 20; i++) {
			assertThat(this.client.release(this.client.acquire(this.key + i))).isTrue();
		}
	}

	@Test
	void majorityThatStandsStillIsUnavailableAndWhatWasSentIsTakenBack() {
		this.servers.get(1).pause();
		this.servers.get(2).pause();

		assertThat(this.client.attempt(this.key)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isTrue());

		this.servers.get(1).resume();
		this.servers.get(2).resume();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Granted.class));
	}

	@Test
	void majorityThatIsGoneIsUnavailableUntilItIsBackAndNoNodeRemembersALease() {
		LeaseGrant before = this.client.acquire(this.key);
		for (int i = 1; i < 3; i++) {
			this.servers.get(i).kill();
		}
		this.client.awaitVotes(1);

		assertThat(this.client.attempt(this.key)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isFalse());

		for (int i = 1; i < 3; i++) {
			this.servers.get(i).restart();
		}
		this.client.awaitVotes(3);
		assertThat(this.client.acquire(this.key).token().first()).isGreaterThan(before.token().last());
	}

	private void killConnections() {
		int returns = this.client.returns();
		this.servers.askAll((commands) -> commands.clientKill(KillArgs.Builder.typeNormal().skipme()));
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> this.client.returns() >= returns + 3 && this.client.voting().size() == 3);
	}

	private boolean isKeptBy(int node) {
		return RedlockServers.ask(this.servers.get(node),
				(commands) -> commands.exists("lock:{" + this.key + "}")) == 1;
	}

	private String name(int node) {
		return this.servers.endpoints().get(node).name();
	}

}
