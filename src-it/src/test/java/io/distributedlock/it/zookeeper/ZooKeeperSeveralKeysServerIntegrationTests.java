package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what leases on several keys cause on the server: requests and watches.
 */
class ZooKeeperSeveralKeysServerIntegrationTests {

	// Longer than the tests take, so that pings and heartbeats hardly count.
	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

	private static final List<String> KEYS = List.of("a", "b", "c");

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	private static ZooKeeperProcess server;

	private final String root = "/several-" + OwnerId.random().value().substring(0, 8);

	private final List<ZooKeeperTestEngine> engines = new ArrayList<>();

	private ZooKeeperTestEngine here;

	private ZooKeeperTestEngine there;

	@BeforeAll
	static void start() {
		server = ZooKeeperProcess.standalone(processes);
	}

	@BeforeEach
	void open() throws Exception {
		this.here = engine();
		this.there = engine();
		Lease lease = this.there.template().acquire(LockRequest.of(KEYS));
		for (String key : KEYS) {
			// This server reaps empty containers after half a second.
			this.there.client()
				.handle()
				.create(path(key) + "/.keep", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		}
		lease.release();
	}

	private ZooKeeperTestEngine engine() {
		ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> ProxyRoute.to(server.port()), this.root,
				SESSION_TIMEOUT);
		this.engines.add(engine);
		engine.template().acquire(LockRequest.of(KEYS)).release();
		return engine;
	}

	@AfterEach
	void close() {
		this.engines.forEach(ZooKeeperTestEngine::close);
	}

	static Stream<LockRequest> modes() {
		return Stream.of(LockRequest.of(KEYS), LockRequest.of(KEYS).shared());
	}

	@ParameterizedTest
	@MethodSource("modes")
	void leaseTakesOneRequestForAllKeysAndAListingOfEachAndOneToRelease(LockRequest request) {
		int pairs = 300;
		long before = server.number("packets_received");

		for (int i = 0; i < pairs; i++) {
			this.here.template().acquire(request).release();
		}

		long requests = server.number("packets_received") - before;
		// The rest are heartbeats and pings of both clients.
		assertThat(requests).isBetween(5L * pairs, 5L * pairs + pairs / 4);
	}

	@ParameterizedTest
	@MethodSource("modes")
	void leaseTakesOneRoundTripAndItsReleaseAnother(LockRequest request) {
		this.here.route().proxy().answers().hold();
		long before = server.number("packets_received");

		CompletionStage<Lease> acquired = this.here.template().acquireAsync(request);

		await("all requests are sent").until(() -> server.number("packets_received") - before >= 1 + 3);
		assertThat(acquired.toCompletableFuture()).isNotDone();
		this.here.route().proxy().restore();
		Lease lease = acquired.toCompletableFuture().join();
		this.here.route().proxy().answers().hold();
		CompletionStage<Boolean> released = lease.releaseAsync();
		await("all places are gone").until(() -> KEYS.stream().allMatch((key) -> line(key).isEmpty()));
		this.here.route().proxy().restore();
		assertThat(released.toCompletableFuture().join()).isTrue();
	}

	@Test
	void containersOfUnknownKeysAreCreatedInTheSameRoundTrip() {
		List<String> keys = List.of("c", "d", "e");
		this.here.route().proxy().answers().hold();
		long before = server.number("packets_received");

		CompletionStage<Lease> acquired = this.here.template().acquireAsync(LockRequest.of(keys));

		await("all requests are sent").until(() -> server.number("packets_received") - before >= 2 + 1 + 3);
		assertThat(acquired.toCompletableFuture()).isNotDone();
		this.here.route().proxy().restore();
		assertThat(acquired.toCompletableFuture().join().isHeld()).isTrue();
		assertThat(keys).allMatch((key) -> line(key).size() == 1);
	}

	@Test
	void busyTryTakesTwoRoundTripsAndLeavesNothing() {
		Lease holder = this.there.template().acquire("b");
		int tries = 300;
		long before = server.number("packets_received");

		for (int i = 0; i < tries; i++) {
			// A contender that was busy before would look for those it saw then.
			assertThat(attempt(this.here)).isInstanceOf(AttemptOutcome.Busy.class);
		}

		long requests = server.number("packets_received") - before;
		assertThat(requests).isBetween(5L * tries, 5L * tries + tries / 4);
		assertThat(line("a")).isEmpty();
		assertThat(line("c")).isEmpty();
		assertThat(holder.release()).isTrue();
	}

	private static AttemptOutcome attempt(ZooKeeperTestEngine engine) {
		return engine.client().contend(new LockTarget(KEYS, LockMode.EXCLUSIVE), () -> {
		})
			.attempt(new LeaseRequest(OwnerId.random(), Duration.ofMinutes(1), 1, null, false, Duration.ofSeconds(30),
					Duration.ZERO))
			.toCompletableFuture()
			.join();
	}

	@Test
	void waiterWatchesOnePlaceAndTheSessionsOfAllHolders() {
		ZooKeeperTestEngine third = engine();
		long watches = server.number("watch_count");
		Lease first = this.there.template().acquire("a");
		Lease second = third.template().acquire("c");
		CompletableFuture<Lease> waiter = waiting(this.here, LockRequest.of(KEYS));
		await("the waiter watches").until(() -> server.number("watch_count") == watches + 1 + 2);

		assertThat(second.release()).isTrue();
		await("the other key is still awaited").until(() -> line("c").size() == 1);
		assertThat(first.release()).isTrue();

		assertThat(waiter.join().isHeld()).isTrue();
		await("the next heartbeat ends its watches").until(() -> server.number("watch_count") == watches);
	}

	@Test
	void waiterIsWokenByEachKeyInTurn() {
		List<Lease> holders = KEYS.stream().map((key) -> this.there.template().acquire(key)).toList();
		CompletableFuture<Lease> waiter = waiting(this.here, LockRequest.of(KEYS));
		await("the waiter is in all queues").until(() -> KEYS.stream().allMatch((key) -> line(key).size() == 2));

		holders.forEach((holder) -> {
			assertThat(waiter).isNotDone();
			assertThat(holder.release()).isTrue();
		});

		assertThat(waiter.join().isHeld()).isTrue();
	}

	@Test
	void readersOfOneJvmThatWatchTheSamePlaceDoNotEndEachOthersWatch() {
		Lease writer = this.there.template().acquire("b");
		CompletableFuture<Lease> one = waiting(this.here, LockRequest.of("b").shared());
		CompletableFuture<Lease> several = waiting(this.here, LockRequest.of(KEYS).shared());
		CompletableFuture<Lease> two = waiting(this.here, LockRequest.of(List.of("b", "c")).shared());
		await("all wait").until(() -> line("b").size() == 4);

		one.cancel(true);
		two.cancel(true);
		await("they have left").until(() -> line("b").size() == 2);
		assertThat(writer.release()).isTrue();

		// Without the watch it would look again after the session timeout.
		Awaitility.await("the other one is woken").atMost(SESSION_TIMEOUT.dividedBy(2)).until(several::isDone);
		assertThat(several.join().isHeld()).isTrue();
	}

	@Test
	void waiterThatTimedOutLeavesNoWatchAndNoPlace() {
		long watches = server.number("watch_count");
		Lease holder = this.there.template().acquire("b");

		assertThat(this.here.template().tryAcquire(LockRequest.of(KEYS).waitTime(Duration.ofSeconds(1)))).isEmpty();

		await("the next heartbeat ends its watch").until(() -> server.number("watch_count") == watches);
		assertThat(line("a")).isEmpty();
		assertThat(line("c")).isEmpty();
		assertThat(holder.isHeld()).isTrue();
	}

	@Test
	void hundredLongKeysFitIntoOneTransaction() {
		List<String> keys = IntStream.range(0, 100).mapToObj((i) -> i + "\u00e4".repeat(250)).toList();
		Lease lease = this.here.template().acquire(LockRequest.of(keys).minHold(Duration.ofMinutes(1)));

		lease.verify();
		assertThat(lease.release()).isTrue();

		assertThat(this.there.template().tryAcquire(LockRequest.of(keys.get(99)))).isEmpty();
	}

	@Test
	void requestsInOppositeOrdersAndForSingleKeysAreServedInTurn() {
		List<List<String>> sets = List.of(KEYS, List.of("c", "b"), List.of("b", "a"), List.of("c", "a"), List.of("b"));
		List<CompletableFuture<Lease>> all = new ArrayList<>();
		for (int i = 0; i < 1_000; i++) {
			ZooKeeperTestEngine engine = (i % 2 == 0) ? this.here : this.there;
			LockRequest request = LockRequest.of(sets.get(i % sets.size()));
			all.add(waiting(engine, (i % 7 == 0) ? request.shared() : request)
				.thenCompose((lease) -> lease.releaseAsync().thenApply((stood) -> lease)));
		}

		assertThat(all).allMatch((lease) -> !lease.join().isHeld());
		await("nothing is left").until(() -> KEYS.stream().allMatch((key) -> line(key).isEmpty()));
	}

	@Test
	void allPlacesOfARequestHaveOneTransaction() throws Exception {
		Lease lease = this.here.template().acquire(LockRequest.of(KEYS));

		ZooKeeper handle = this.there.client().handle();
		long transaction = handle.exists(path("a") + "/" + line("a").get(0), false).getCzxid();
		for (String key : KEYS) {
			assertThat(handle.exists(path(key) + "/" + line(key).get(0), false).getCzxid()).isEqualTo(transaction);
			assertThat(lease.fencingToken(key)).isEqualTo(transaction * 1024);
		}
	}

	private static CompletableFuture<Lease> waiting(ZooKeeperTestEngine engine, LockRequest request) {
		return engine.template().acquireAsync(request.waitTime(Duration.ofMinutes(2))).toCompletableFuture();
	}

	private String path(String key) {
		return this.root + "/lock:" + key;
	}

	private List<String> line(String key) {
		try {
			return this.there.client()
				.handle()
				.getChildren(path(key), false)
				.stream()
				.filter((name) -> !name.startsWith("."))
				.toList();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(90));
	}

}
