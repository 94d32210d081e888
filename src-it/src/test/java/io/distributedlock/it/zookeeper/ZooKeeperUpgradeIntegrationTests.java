package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that this version and the one before groups of leases exclude each other during
 * an upgrade.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperUpgradeIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final String root = "/upgrade-" + OwnerId.random().value().substring(0, 8);

	private final ZooKeeperTestEngine here = engine();

	private final ZooKeeperTestEngine there = engine();

	private EarlierVersionClient before;

	private ZooKeeperTestEngine engine() {
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), this.root, Duration.ofSeconds(20));
	}

	@BeforeEach
	void connect() throws Exception {
		this.before = EarlierVersionClient.connect(this.root);
	}

	@AfterEach
	void close() throws Exception {
		this.before.close();
		this.here.close();
		this.there.close();
	}

	static Stream<LockRequest> all() {
		return Stream.concat(Stream.of(LockRequest.of("key")), groups());
	}

	static Stream<LockRequest> groups() {
		return Stream.of(LockRequest.of("key").shared(), LockRequest.of("key").permits(2));
	}

	@ParameterizedTest
	@MethodSource("all")
	void leaseOfThisVersionWaitsForTheHolderOfTheVersionBefore(LockRequest request) throws Exception {
		String place = this.before.enter("key");
		assertThat(this.before.holds("key", place)).isTrue();
		assertThat(this.here.template().tryAcquire(request)).isEmpty();
		CompletableFuture<Lease> waiting = this.here.template()
			.acquireAsync(request.waitTime(PATIENCE))
			.toCompletableFuture();
		String next = this.before.enter("key");
		assertThat(waiting).isNotDone();

		this.before.leave("key", place);

		// The later one of the version before may be in front of the waiter.
		Awaitility.await("one of them has the lock").until(() -> waiting.isDone() || this.before.holds("key", next));
		if (!waiting.isDone()) {
			this.before.leave("key", next);
		}
		assertThat(waiting.join().isHeld()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void versionBeforeWaitsForEachMemberOfAGroup(LockRequest group) throws Exception {
		Lease one = this.here.template().acquire(group);
		Lease other = this.there.template().acquire(group);
		String place = this.before.enter("key");

		assertThat(this.before.unknown("key")).isEmpty();
		assertThat(this.before.holds("key", place)).isFalse();
		assertThat(one.release()).isTrue();
		assertThat(this.before.holds("key", place)).isFalse();
		assertThat(other.release()).isTrue();
		assertThat(this.before.holds("key", place)).isTrue();
	}

	@Test
	void versionBeforeWaitsForAnExclusiveLease() throws Exception {
		Lease lease = this.here.template().acquire("key");
		String place = this.before.enter("key");

		assertThat(this.before.holds("key", place)).isFalse();
		assertThat(lease.release()).isTrue();
		assertThat(this.before.holds("key", place)).isTrue();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void waiterOfTheVersionBeforeKeepsNewMembersOut(LockRequest group) throws Exception {
		Lease member = this.here.template().acquire(group);
		String place = this.before.enter("key");

		assertThat(this.there.template().tryAcquire(group)).isEmpty();
		this.before.leave("key", place);

		assertThat(this.there.template().tryAcquire(group)).isPresent();
		member.verify();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void versionBeforeWaitsForTheMinimumHoldOfAMember(LockRequest group) throws Exception {
		this.here.template().acquire(group.minHold(PATIENCE)).release();
		String place = this.before.enter("key");

		assertThat(this.before.unknown("key")).isEmpty();
		assertThat(this.before.holds("key", place)).isFalse();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void versionBeforeKnowsTheCooldownOfAForcedGroup(LockRequest group) throws Exception {
		this.here.template().acquire(group);
		this.there.template().acquire(group);
		String place = this.before.enter("key");

		assertThat(this.here.client().forceRelease("key", PATIENCE).toCompletableFuture().join()).isTrue();

		assertThat(this.before.unknown("key")).isEmpty();
		assertThat(this.before.first("key")).isEqualTo(place);
		assertThat(this.before.holds("key", place)).isFalse();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void forcedReleaseByTheVersionBeforeEndsTheFirstMemberOnly(LockRequest group) throws Exception {
		Lease first = this.here.template().acquire(group);
		Lease second = this.there.template().acquire(group);

		this.before.forceRelease("key", PATIENCE.toMillis());

		assertThat(first.release()).isFalse();
		second.verify();
		assertThat(ListedLocks.all(this.here.client()).toCompletableFuture().join()).extracting(LockInfo::fencingToken)
			.containsExactly(second.fencingToken());
		// As after the minimum hold of a member.
		assertThat(this.here.template().tryAcquire("key")).isEmpty();
		assertThat(this.here.template().tryAcquire(group).isPresent()).isEqualTo(group.getMode() == LockMode.SHARED);
	}

}
