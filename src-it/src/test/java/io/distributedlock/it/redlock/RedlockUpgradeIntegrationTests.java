package io.distributedlock.it.redlock;

import java.util.List;

import io.lettuce.core.RedisCommandExecutionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockMode;
import io.distributedlock.backend.redlock.NodeHolder;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Clients of the version without groups beside those of this one, on three nodes. Both
 * use exclusive locks, and only this one enters groups.
 */
class RedlockUpgradeIntegrationTests {

	private static final RedlockServers SERVERS = RedlockServers.start(3);

	private final EarlierRedlock earlier = new EarlierRedlock(SERVERS);

	private final RedlockTestClient client = new RedlockTestClient(SERVERS.endpoints()).awaitVotes(3);

	private final RedlockTestClient other = new RedlockTestClient(SERVERS.endpoints()).awaitVotes(3);

	private final String key = RedlockTestClient.newKey();

	private final String owner = EarlierRedlock.owner();

	@AfterEach
	void close() {
		this.client.close();
		this.other.close();
	}

	@AfterAll
	static void end() {
		SERVERS.kill();
	}

	@Test
	void exclusiveLocksOfBothVersionsExcludeEachOther() {
		long first = now();
		assertThat(this.earlier.acquire(this.key, this.owner, first, false)).containsOnly(1L);
		assertThat(this.client.attempt(this.key)).isInstanceOf(AttemptOutcome.Busy.class);
		assertThat(this.earlier.renew(this.key, this.owner, first)).containsOnly(1L);
		assertThat(this.earlier.release(this.key, this.owner)).containsOnly(1L);

		LeaseGrant grant = this.client.acquire(this.key);

		assertThat(grant.token().first()).isGreaterThan(first);
		assertThat(this.earlier.acquire(this.key, EarlierRedlock.owner(), now(), false)).containsOnly(0L);
		assertThat(this.earlier.find(this.key)).hasSize(3).containsOnly(grant.ownerId().value() + "|test@host:1");
		assertThat(this.client.release(grant)).isTrue();
		assertThat(this.earlier.acquire(this.key, EarlierRedlock.owner(), grant.token().last(), false))
			.containsOnly(3L);
	}

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void earlierWriterExcludesMembersUntilItsRelease(LockMode mode) {
		long token = now();
		this.earlier.acquire(this.key, this.owner, token, false);
		assertThat(this.client.attempt(this.key, mode)).isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(this.earlier.release(this.key, this.owner)).containsOnly(1L);

		assertThat(this.client.enter(this.key, mode).token().first()).isGreaterThan(token);
		assertThat(this.other.enter(this.key, mode).token().first()).isGreaterThan(token);
	}

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void membersExcludeAnEarlierWriterUntilTheLastOneHasLeft(LockMode mode) {
		LeaseGrant one = this.client.enter(this.key, mode);
		LeaseGrant another = this.other.enter(this.key, mode);
		assertThat(this.earlier.acquire(this.key, this.owner, now(), false)).containsOnly(0L);
		assertThat(this.earlier.renew(this.key, this.owner, now())).containsOnly(0L);
		assertThat(this.earlier.release(this.key, this.owner)).containsOnly(0L);
		this.client.release(one);
		assertThat(this.earlier.acquire(this.key, this.owner, now(), false)).containsOnly(0L);
		this.other.release(another);
		awaitFree();

		assertThat(this.earlier.acquire(this.key, this.owner, another.token().last(), false)).containsOnly(3L);
		assertThat(this.earlier.acquire(this.key, this.owner, another.token().last() + 1, false)).containsOnly(1L);

		assertThat(this.client.renew(one)).isInstanceOf(RenewalOutcome.Lost.class);
		assertThat(this.client.release(another)).isFalse();
		assertThat(this.earlier.renew(this.key, this.owner, another.token().last() + 1)).containsOnly(1L);
	}

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void lastMemberWakesAnEarlierWaiter(LockMode mode) {
		LeaseGrant member = this.client.enter(this.key, mode);
		this.earlier.acquire(this.key, this.owner, now(), true);
		List<NodeMonitor> nodes = NodeMonitor.of(SERVERS);

		this.client.release(member);

		NodeMonitor.settle(nodes);
		assertThat(nodes).allMatch((node) -> node.publications() == 1);
		nodes.forEach(NodeMonitor::close);
	}

	@ParameterizedTest
	@EnumSource(names = { "SHARED", "PERMITS" })
	void earlierInstancesShowAGroupWithoutItsMembersAndCanNotTakeItAway(LockMode mode) {
		LeaseGrant member = this.client.enter(this.key, mode);

		assertThat(this.earlier.find(this.key)).hasSize(3).containsOnly(NodeHolder.kind(mode));
		assertThatThrownBy(() -> this.earlier.forceRelease(this.key)).isInstanceOf(RedisCommandExecutionException.class)
			.hasMessageContaining("UNKNOWNFORM");
		assertThat(this.client.renew(member)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void commandsOfExclusiveLocksAreThoseOfTheEarlierVersion() {
		List<NodeMonitor> nodes = NodeMonitor.of(SERVERS);
		String first = this.key + "first";
		long token = now();
		this.earlier.acquire(first, this.owner, token, false);
		this.earlier.acquire(first, EarlierRedlock.owner(), now(), true);
		this.earlier.renew(first, this.owner, token);
		this.earlier.release(first, this.owner);

		String second = this.key + "second";
		LeaseGrant grant = this.client.acquire(second);
		NodeMonitor.settle(nodes);
		this.other.attempt(second, this.other.request(RedlockTestClient.TTL, true));
		NodeMonitor.settle(nodes);
		this.client.renew(grant);
		NodeMonitor.settle(nodes);
		this.client.release(grant);
		NodeMonitor.settle(nodes);

		assertThat(nodes).allSatisfy(
				(node) -> assertThat(withoutGivingBack(node.commandsOn("lock:{" + second + "}"))).hasSizeGreaterThan(10)
					.isEqualTo(node.commandsOn("lock:{" + first + "}")));
		nodes.forEach(NodeMonitor::close);
	}

	/**
	 * Leave out that a node which has answered late is asked to release the refused
	 * attempt.
	 */
	private static List<String> withoutGivingBack(List<String> commands) {
		return List.of(String.join(",", commands).replace("PTTL ,GET ,GET ,GET :c", "PTTL ,GET ,GET :c").split(","));
	}

	private void awaitFree() {
		Awaitility.await()
			.until(() -> SERVERS.askAll((commands) -> commands.exists("lock:{" + this.key + "}"))
				.stream()
				.allMatch((exists) -> exists == 0));
	}

	private static long now() {
		return System.currentTimeMillis() * 1000;
	}

}
