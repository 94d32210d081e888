package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for shared leases and permits whose answers are lost, and for places that nothing
 * uses.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperGroupFaultIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	// Longer than a test waits, so that no session ends.
	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(40);

	private final String root = "/faults-" + OwnerId.random().value().substring(0, 8);

	private final String lockPath = this.root + "/lock:key";

	private final ZooKeeperTestEngine here = engine();

	private final ZooKeeperTestEngine there = engine();

	private final CuratorFramework observer = CuratorFrameworkFactory.newClient(ZooKeeperServer.connectString(),
			new RetryOneTime(100));

	private ZooKeeperTestEngine engine() {
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), this.root, SESSION_TIMEOUT);
	}

	@BeforeEach
	void connect() {
		this.observer.start();
		this.here.template().acquire("another key").release();
		this.there.template().acquire("another key").release();
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		this.observer.close();
	}

	static Stream<LockRequest> groups() {
		return Stream.of(LockRequest.of("key").shared(), LockRequest.of("key").permits(1));
	}

	@ParameterizedTest
	@MethodSource("groups")
	void placeOfAMemberWhoseMakingWasNotAnsweredIsFoundAgain(LockRequest group) {
		this.here.route().proxy().answers().drop();
		CompletionStage<AttemptOutcome> attempt = attempt(this.here, group, OwnerId.random());
		await("the place is there").until(() -> places().size() == 1);
		List<String> made = places();

		this.here.route().proxy().restore();

		LeaseGrant grant = ((AttemptOutcome.Granted) attempt.toCompletableFuture().join()).grant();
		assertThat(places()).isEqualTo(made);
		assertThat(this.here.client().release(grant, Duration.ZERO).toCompletableFuture().join()).isTrue();
		assertThat(places()).isEmpty();
		assertThat(this.there.template().tryAcquire("key")).isPresent();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void keyIsFreeWithTheReconnectAfterAnswersToAMemberWereDropped(LockRequest group) {
		this.here.route().proxy().answers().drop();
		Duration ttl = Duration.ofMillis(200);
		CompletionStage<Lease> acquired = this.here.template().acquireAsync(group.ttl(ttl).waitTime(ttl));
		assertThat(acquired.toCompletableFuture().handle((lease, failure) -> failure).join())
			.isInstanceOf(LockUnavailableException.class);
		await("a place was made").until(() -> !places().isEmpty());
		this.here.route().cut();
		// The engine abandons an attempt for one TTL, and each call has its timeout.
		Awaitility.await().pollDelay(ZooKeeperTestEngine.CALL_TIMEOUT.plusSeconds(3)).until(() -> true);

		this.here.route().restore();

		Awaitility.await("the place is gone").atMost(SESSION_TIMEOUT.dividedBy(2)).until(() -> places().isEmpty());
		assertThat(this.there.template().tryAcquire("key")).isPresent();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void abandonedMemberFreesTheKeyWhicheverClientAbandonsIt(LockRequest group) {
		OwnerId ownerId = OwnerId.random();
		AttemptOutcome outcome = attempt(this.here, group, ownerId).toCompletableFuture().join();
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);

		this.there.client()
			.abandon(List.of(new Orphan(LockTarget.exclusive("key"), ownerId)))
			.toCompletableFuture()
			.join();
		assertThat(places()).as("places of another mode are not meant").hasSize(1);
		this.there.client()
			.abandon(List.of(new Orphan(LockTarget.of("key", group.getMode()), ownerId)))
			.toCompletableFuture()
			.join();

		assertThat(places()).isEmpty();
	}

	@Test
	void placeThatNoMemberUsesIsRemovedByTheSweepAndNoOther() throws Exception {
		List<Lease> members = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			members.add(this.here.template().acquire(LockRequest.of("key").permits(4)));
		}
		String ghost = makeAnother();
		CompletableFuture<Lease> waiting = this.here.template()
			.acquireAsync(LockRequest.of("key").permits(4).waitTime(PATIENCE))
			.toCompletableFuture();
		await("a waiter behind it").until(() -> places().size() == 5);

		this.here.client().sweep();

		assertThat(waiting.join().isHeld()).isTrue();
		assertThat(places()).hasSize(4).doesNotContain(ghost);
		this.here.client().sweep();
		this.here.client().sweep();
		members.forEach(Lease::verify);
		waiting.join().verify();
		assertThat(members).allMatch(Lease::release);
	}

	@Test
	void cooldownOfAMemberOutlivesItsSessionAndExcludesOtherModesOnly() {
		this.here.template().acquire(LockRequest.of("key").shared().minHold(PATIENCE)).release();
		this.here.close();

		assertThat(this.there.template().tryAcquire("key")).isEmpty();
		assertThat(this.there.template().tryAcquire(LockRequest.of("key").permits(2))).isEmpty();
		assertThat(this.there.template().tryAcquire(LockRequest.of("key").shared())).isPresent();
	}

	@Test
	void cooldownsOfReadersAreRemovedByTheirClientAlthoughOnlyReadersFollow() {
		LockRequest reading = LockRequest.of("key").shared().minHold(Duration.ofSeconds(1));
		for (int i = 0; i < 3; i++) {
			this.here.template().acquire(reading).release();
		}
		Lease reader = this.there.template().acquire(LockRequest.of("key").shared());

		// Before the client sweeps, as it does every minute.
		Awaitility.await("only the reader is left").atMost(Duration.ofSeconds(30)).until(() -> places().size() == 1);

		assertThat(reader.release()).isTrue();
	}

	@Test
	void cooldownsOfPermitsThatAreOverAreRemovedByTheNextMember() {
		for (int i = 0; i < 2; i++) {
			this.here.template().acquire(LockRequest.of("key").permits(2).minHold(Duration.ofSeconds(2))).release();
		}
		assertThat(places()).hasSize(2).allMatch((name) -> name.startsWith("cooldown-"));
		assertThat(this.there.template().tryAcquire(LockRequest.of("key").permits(2))).isEmpty();

		Lease next = this.there.template().acquire(LockRequest.of("key").permits(2).waitTime(PATIENCE));
		Lease last = this.there.template().acquire(LockRequest.of("key").permits(2).waitTime(PATIENCE));

		await("no cooldown is left").until(() -> places().size() == 2);
		assertThat(next.release()).isTrue();
		assertThat(last.release()).isTrue();
	}

	private static CompletionStage<AttemptOutcome> attempt(ZooKeeperTestEngine engine, LockRequest group,
			OwnerId ownerId) {
		int permits = (group.getMode() == LockMode.PERMITS) ? 1 : 0;
		return engine.client().contend(LockTarget.of("key", group.getMode()), () -> {
		}).attempt(new LeaseRequest(ownerId, PATIENCE, 1, permits, null, true, PATIENCE, Duration.ZERO));
	}

	/**
	 * Create a place that no member uses, named like another one of the same session.
	 */
	private String makeAnother() throws Exception {
		ZooKeeper handle = this.here.client().handle();
		String like = places().stream().findFirst().orElseThrow();
		String prefix = like.substring(0, 12) + OwnerId.random().value().substring(12)
				+ like.substring(32, like.lastIndexOf('-') + 1);
		String path = handle.create(this.lockPath + "/" + prefix, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE,
				CreateMode.EPHEMERAL_SEQUENTIAL);
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private List<String> places() {
		try {
			return this.observer.getChildren().forPath(this.lockPath).stream().sorted().toList();
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE);
	}

}
