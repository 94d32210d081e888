package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for leases on several keys when places, containers, answers and sessions vanish.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperSeveralKeysFaultIntegrationTests {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final List<String> KEYS = List.of("a", "b", "c");

	private final String root = "/several-" + OwnerId.random().value().substring(0, 8);

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
		this.here.template().acquire(LockRequest.of(KEYS)).release();
		this.there.template().acquire("another key").release();
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		this.observer.close();
	}

	static Stream<LockRequest> modes() {
		return Stream.of(LockRequest.of(KEYS), LockRequest.of(KEYS).shared());
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b", "c" })
	void missingContainerOfOneKeyIsCreatedAgain(String missing) throws Exception {
		this.observer.delete().forPath(path(missing));

		Lease lease = this.here.template().acquire(LockRequest.of(KEYS));

		assertThat(KEYS).allMatch((key) -> places(key).size() == 1);
		assertThat(lease.release()).isTrue();
	}

	@Test
	void containersAndRootThatAreGoneAreCreatedAgain() throws Exception {
		for (String key : KEYS) {
			this.observer.delete().forPath(path(key));
		}

		assertThat(this.here.template().acquire(LockRequest.of(KEYS)).release()).isTrue();
		assertThat(this.there.template().acquire(LockRequest.of(List.of("b", "d"))).release()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b", "c" })
	void leaseIsLostWithThePlaceOfOneKeyAndTheOthersAreGivenBack(String removed) throws Exception {
		Lease lease = this.here.template().acquire(LockRequest.of(KEYS));
		AtomicInteger told = new AtomicInteger();
		lease.onLost((lost) -> told.incrementAndGet());

		this.observer.delete().forPath(path(removed) + "/" + places(removed).get(0));
		Awaitility.await("the loss is noticed").atMost(PATIENCE).until(() -> !verified(lease));

		await("all places are gone").until(() -> KEYS.stream().allMatch((key) -> places(key).isEmpty()));
		await("the holder is notified").until(() -> told.get() == 1);
		assertThat(lease.release()).isFalse();
		assertThat(this.there.template().tryAcquire(LockRequest.of(KEYS))).isPresent();
	}

	private static boolean verified(Lease lease) {
		try {
			lease.verify();
			return true;
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "b", "c" })
	void waiterThatHasLostOnePlaceEntersAllQueuesAgainAtOnce(String removed) throws Exception {
		Lease holder = this.there.template().acquire("b");
		CompletableFuture<Lease> waiter = waiting(this.here, LockRequest.of(KEYS));
		await("the waiter is in all queues").until(() -> places("a").size() + places("b").size() == 3);
		String session = Long.toHexString(this.here.client().handle().getSessionId());
		String place = places(removed).stream().filter((name) -> name.contains(session)).findFirst().orElseThrow();
		this.observer.delete().forPath(path(removed) + "/" + place);

		assertThat(holder.release()).isTrue();

		assertThat(waiter.join().isHeld()).isTrue();
		assertThat(KEYS).allMatch((key) -> places(key).size() == 1);
		assertThat(transactions()).hasSize(1);
	}

	private Set<Long> transactions() {
		return KEYS.stream().map((key) -> {
			try {
				return this.observer.checkExists().forPath(path(key) + "/" + places(key).get(0)).getCzxid();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}).collect(Collectors.toSet());
	}

	@ParameterizedTest
	@MethodSource("modes")
	void placesWhoseMakingWasNotAnsweredAreFoundAgain(LockRequest request) {
		this.here.route().proxy().answers().drop();
		CompletionStage<Lease> acquired = this.here.template().acquireAsync(request.waitTime(PATIENCE));
		await("the places are there").until(() -> KEYS.stream().allMatch((key) -> places(key).size() == 1));
		List<String> made = KEYS.stream().flatMap((key) -> places(key).stream()).toList();

		this.here.route().proxy().restore();

		Lease lease = acquired.toCompletableFuture().join();
		assertThat(KEYS.stream().flatMap((key) -> places(key).stream())).containsExactlyElementsOf(made);
		assertThat(lease.release()).isTrue();
		assertThat(KEYS).allMatch((key) -> places(key).isEmpty());
	}

	@ParameterizedTest
	@MethodSource("modes")
	void allKeysAreFreeWithTheReconnectAfterAnswersWereDropped(LockRequest request) {
		this.here.route().proxy().answers().drop();
		Duration ttl = Duration.ofMillis(200);
		CompletionStage<Lease> acquired = this.here.template().acquireAsync(request.ttl(ttl).waitTime(ttl));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> acquired.toCompletableFuture().join())
			.withCauseInstanceOf(LockUnavailableException.class);
		await("places were made").until(() -> KEYS.stream().noneMatch((key) -> places(key).isEmpty()));
		this.here.route().cut();
		// The engine abandons an attempt for one TTL, and each call has its timeout.
		Awaitility.await().pollDelay(ZooKeeperTestEngine.CALL_TIMEOUT.plusSeconds(3)).until(() -> true);

		this.here.route().restore();

		Awaitility.await("the places are gone")
			.atMost(SESSION_TIMEOUT.dividedBy(2))
			.until(() -> KEYS.stream().allMatch((key) -> places(key).isEmpty()));
		assertThat(this.there.template().tryAcquire(LockRequest.of(KEYS))).isPresent();
	}

	@Test
	void releaseWhoseAnswerWasLostIsReported() {
		Lease lease = this.here.template().acquire(LockRequest.of(KEYS));
		this.here.route().proxy().answers().drop();
		CompletionStage<Boolean> released = lease.releaseAsync();
		await("the places are gone").until(() -> KEYS.stream().allMatch((key) -> places(key).isEmpty()));

		this.here.route().proxy().restore();

		assertThat(released.toCompletableFuture().join()).isTrue();
	}

	@Test
	void sweepKeepsThePlacesOfLeasesAndWaitersAndRemovesOthers() throws Exception {
		Lease lease = this.here.template().acquire(LockRequest.of(KEYS));
		CompletableFuture<Lease> waiter = waiting(this.here, LockRequest.of(List.of("b", "d")));
		await("the waiter is in the queue").until(() -> places("b").size() == 2);
		// A place of the lease's own attempt, which it does not use.
		this.here.client()
			.handle()
			.create(path("d") + "/" + places("a").get(0).replaceFirst("\\d{10}$", "0000000007"), new byte[0],
					Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);

		this.here.client().sweep();

		await("the stray place is gone").until(() -> places("d").size() == 1);
		assertThat(KEYS).allMatch((key) -> places(key).size() == ("b".equals(key) ? 2 : 1));
		lease.verify();
		assertThat(lease.release()).isTrue();
		assertThat(waiter.join().isHeld()).isTrue();
	}

	@Test
	void endOfTheSessionLosesTheLeaseOnceAndALaterHolderOverlapsWithNone() {
		Lease lease = this.here.template().acquire(LockRequest.of(KEYS).ttl(PATIENCE));
		AtomicInteger told = new AtomicInteger();
		lease.onLost((lost) -> told.incrementAndGet());
		CompletableFuture<Boolean> overlap = waiting(this.there, LockRequest.of(List.of("b", "c")))
			.thenApply((next) -> lease.isHeld());
		await("the waiter is in the queue").until(() -> places("c").size() == 2);

		this.here.client().endSession(ZooKeeperServer.connectString());

		assertThat(overlap.join()).isFalse();
		await("the holder is notified").until(() -> told.get() == 1);
		assertThat(lease.release()).isFalse();
	}

	@Test
	void sessionThatEndsBehindAKeyThatIsNotWatchedIsWaitedFor() {
		try (ZooKeeperTestEngine third = engine()) {
			Lease watched = third.template().acquire("a");
			Lease lost = this.here.template().acquire(LockRequest.of("c").ttl(PATIENCE));
			CompletableFuture<Boolean> overlap = waiting(this.there, LockRequest.of(KEYS))
				.thenApply((next) -> lost.isHeld());
			await("the waiter is in all queues").until(() -> places("a").size() + places("c").size() == 4);

			this.here.client().endSession(ZooKeeperServer.connectString());
			assertThat(watched.release()).isTrue();

			assertThat(overlap.join()).isFalse();
		}
	}

	@Test
	void waiterWhoseSessionEndedEntersAllQueuesAgain() {
		Lease holder = this.there.template().acquire("c");
		CompletableFuture<Lease> waiter = waiting(this.here, LockRequest.of(KEYS));
		await("the waiter is in all queues").until(() -> places("c").size() == 2);
		List<String> before = places("c");

		this.here.client().endSession(ZooKeeperServer.connectString());

		await("the waiter is in the queue again").until(() -> places("c").size() == 2 && !places("c").equals(before));
		assertThat(holder.release()).isTrue();
		assertThat(waiter.join().isHeld()).isTrue();
	}

	@Test
	void minimumHoldOfOneKeyDelaysAllAndIsOverThen() {
		assertThat(this.there.template().acquire(LockRequest.of("c").minHold(Duration.ofSeconds(2))).release())
			.isTrue();

		assertThat(this.here.template().tryAcquire(LockRequest.of(KEYS))).isEmpty();
		Lease lease = waiting(this.here, LockRequest.of(KEYS)).join();

		assertThat(places("c")).hasSize(1);
		assertThat(lease.release()).isTrue();
	}

	private static CompletableFuture<Lease> waiting(ZooKeeperTestEngine engine, LockRequest request) {
		return engine.template().acquireAsync(request.waitTime(PATIENCE)).toCompletableFuture();
	}

	private String path(String key) {
		return this.root + "/lock:" + key;
	}

	private List<String> places(String key) {
		try {
			return this.observer.getChildren().forPath(path(key)).stream().sorted().toList();
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
