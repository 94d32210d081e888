package io.distributedlock.it.redlock;

import java.time.Duration;
import java.util.List;

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
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What leases on several keys cost at each node, and what becomes of them at nodes that
 * lose one of the locks.
 */
class RedlockSeveralKeysIntegrationTests {

	private final RedlockServers servers = RedlockServers.start(3);

	private final String key = RedlockTestClient.newKey();

	private final List<String> keys = List.of(this.key + "a", this.key + "b", this.key + "c");

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
	@EnumSource(names = { "EXCLUSIVE", "SHARED" })
	void allKeysAreTakenRenewedAndReleasedByOneScriptEachAtEveryNode(LockMode mode) {
		watch();

		LeaseGrant grant = acquire(this.client, mode);
		assertScripts(1);
		assertThat(RedlockTestClient
			.await(this.client.connection().renew(List.of(new Renewal(grant, RedlockTestClient.TTL)))))
			.allMatch(RenewalOutcome.Renewed.class::isInstance);
		assertScripts(2);
		assertThat(this.client.release(grant)).isTrue();
		assertScripts(3);
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.publications()).isZero());
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "SHARED" })
	void attemptThatMeetsABusyKeyIsOneScriptAtEveryNodeAndLeavesNothing(LockMode mode) {
		LeaseGrant held = this.other.acquire(this.keys.get(1));
		watch();

		assertThat(this.client.attempt(new LockTarget(this.keys, mode), this.client.request(mode, false)))
			.isInstanceOf(AttemptOutcome.Busy.class);

		assertScriptsAndRelease(1);
		assertThat(this.servers.askAll((commands) -> commands.exists(lock(0), lock(2)))).containsOnly(0L);
		assertThat(this.other.release(held)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "SHARED" })
	void abandonedAttemptIsReleasedByOneScriptAtEveryNode(LockMode mode) {
		LeaseGrant grant = acquire(this.client, mode);
		watch();

		RedlockTestClient.await(this.other.connection().abandon(List.of(new Orphan(grant.target(), OwnerId.random()))));
		assertScripts(1);
		RedlockTestClient.await(this.client.connection().abandon(List.of(new Orphan(grant.target(), grant.ownerId()))));

		assertScripts(2);
		assertThat(this.servers.askAll((commands) -> commands.exists(lock(0), lock(1), lock(2)))).containsOnly(0L);
	}

	@Test
	void tokensOfAllKeysAreAboveTheCounterThatIsFurthestAhead() {
		LeaseGrant first = this.other.acquire(this.keys.get(2));
		this.other.release(first);
		// As if the clock of a former majority had been ahead.
		long ahead = first.token().last() + 500_000;
		this.servers.askAll((commands) -> commands.set(lock(2) + ":c", String.valueOf(ahead)));

		LeaseGrant grant = acquire(this.client, LockMode.EXCLUSIVE);

		assertThat(grant.tokens()).hasSize(3).allSatisfy((tokens) -> assertThat(tokens.first()).isGreaterThan(ahead));
		assertThat(this.client.release(grant)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "SHARED" })
	void nodeThatLostOneOfTheLocksIsGivenItBackByARenewal(LockMode mode) {
		LeaseGrant grant = acquire(this.client, mode);
		settle();
		RedlockServers.ask(this.servers.get(0), (commands) -> commands.del(lock(1)));
		watch();

		assertThat(this.client.renew(grant)).isInstanceOf(RenewalOutcome.Renewed.class);

		settle();
		assertThat(this.servers.askAll((commands) -> commands.exists(lock(0), lock(1), lock(2)))).containsOnly(3L);
		assertThat(this.client.release(grant)).isTrue();
		settle();
		assertThat(this.servers.askAll((commands) -> commands.exists(lock(0), lock(1), lock(2)))).containsOnly(0L);
	}

	@Test
	void leaseIsLostIfItsLocksStandAtNoMajorityTogether() {
		LeaseGrant grant = acquire(this.client, LockMode.EXCLUSIVE);
		settle();
		RedlockServers.ask(this.servers.get(0), (commands) -> commands.del(lock(0)));
		RedlockServers.ask(this.servers.get(1), (commands) -> commands.del(lock(2)));

		assertThat(this.client.renew(grant)).isInstanceOf(RenewalOutcome.Lost.class);

		assertThat(this.client.release(grant)).isFalse();
		settle();
		assertThat(this.servers.askAll((commands) -> commands.exists(lock(0), lock(1), lock(2)))).containsOnly(0L);
	}

	@Test
	void waitingWriterClosesTheDoorsOfTheGroupsOnlyThatItMeets() {
		LeaseGrant reader = this.client.enter(this.keys.get(1), LockMode.SHARED);
		Contender writer = this.other.connection().contend(new LockTarget(this.keys, LockMode.EXCLUSIVE), () -> {
		});
		watch();

		assertThat(RedlockTestClient.await(writer.attempt(this.other.request(RedlockTestClient.TTL, true))))
			.isInstanceOf(AttemptOutcome.Busy.class);

		assertScriptsAndRelease(2);
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.doors()).isEqualTo(1));
		assertThat(this.servers.askAll((commands) -> commands.exists(lock(1) + ":d"))).containsOnly(1L);
		assertThat(this.client.attempt(this.keys.get(1), LockMode.SHARED)).isInstanceOf(AttemptOutcome.Busy.class);
		this.client.release(this.client.enter(this.keys.get(0), LockMode.SHARED));
		this.client.release(reader);
		assertThat(RedlockTestClient.await(writer.attempt(this.other.request(RedlockTestClient.TTL, true))))
			.isInstanceOf(AttemptOutcome.Granted.class);
		settle();
		assertThat(this.servers.askAll((commands) -> commands.exists(lock(1) + ":d"))).containsOnly(0L);
	}

	private LeaseGrant acquire(RedlockTestClient by, LockMode mode) {
		AttemptOutcome outcome = by.attempt(new LockTarget(this.keys, mode), by.request(mode, false));
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	private void assertScripts(int number) {
		settle();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.allScripts()).isEqualTo(number));
	}

	/**
	 * An attempt that a majority refuses also releases the locks at the nodes that have
	 * not answered yet.
	 */
	private void assertScriptsAndRelease(int number) {
		settle();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.allScripts()).isBetween((long) number, number + 1L))
			.anySatisfy((node) -> assertThat(node.allScripts()).isEqualTo(number));
	}

	private String lock(int index) {
		return "lock:{" + this.keys.get(index) + "}";
	}

	private RedlockTestClient client() {
		RedlockSettings settings = RedlockTestClient.settings(this.servers.endpoints(), RedlockTestClient.TTL, false,
				RedlockTestClient.PREFIX);
		return new RedlockTestClient(this.servers.endpoints(), null, settings, Duration.ZERO).awaitVotes(3);
	}

	private void watch() {
		settle();
		this.nodes.forEach(NodeMonitor::forget);
	}

	private void settle() {
		NodeMonitor.settle(this.nodes);
	}

}
