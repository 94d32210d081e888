package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

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
import io.distributedlock.LockRequest;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what shared leases and permits cause on the server: requests and watches.
 */
class ZooKeeperGroupServerIntegrationTests {

	// Longer than the tests take, so that pings and heartbeats hardly count.
	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	private static ZooKeeperProcess server;

	private final String root = "/groups-" + OwnerId.random().value().substring(0, 8);

	private final List<ZooKeeperTestEngine> engines = new ArrayList<>();

	private ZooKeeperTestEngine here;

	private ZooKeeperTestEngine there;

	@BeforeAll
	static void start() {
		server = ZooKeeperProcess.standalone(processes);
	}

	@BeforeEach
	void open() {
		this.here = engine("key");
		this.there = engine("key");
	}

	private ZooKeeperTestEngine engine(String firstKey) {
		ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> ProxyRoute.to(server.port()), this.root,
				SESSION_TIMEOUT);
		this.engines.add(engine);
		engine.template().acquire(firstKey).release();
		return engine;
	}

	@AfterEach
	void close() {
		this.engines.forEach(ZooKeeperTestEngine::close);
	}

	static Stream<LockRequest> groups() {
		return Stream.of(LockRequest.of("key").shared(), LockRequest.of("key").permits(3));
	}

	@ParameterizedTest
	@MethodSource("groups")
	void memberTakesTwoRequestsToEnterAndOneToLeave(LockRequest group) {
		Lease other = this.there.template().acquire(group);
		int pairs = 500;
		long before = server.number("packets_received");

		for (int i = 0; i < pairs; i++) {
			this.here.template().acquire(group).release();
		}

		long requests = server.number("packets_received") - before;
		// The rest are heartbeats and pings of both clients.
		assertThat(requests).isBetween(3L * pairs, 3L * pairs + pairs / 4);
		assertThat(other.release()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("groups")
	void allRequestsOfAMemberAreSentBeforeTheFirstIsAnswered(LockRequest group) {
		this.here.route().proxy().answers().hold();
		long before = server.number("packets_received");

		CompletionStage<Lease> acquired = this.here.template().acquireAsync(group);

		await("the place and the listing").until(() -> server.number("packets_received") - before >= 2);
		assertThat(acquired.toCompletableFuture()).isNotDone();
		this.here.route().proxy().restore();
		assertThat(acquired.toCompletableFuture().join().isHeld()).isTrue();
	}

	@Test
	void waiterForPermitsWatchesAsManyPlacesAsThereArePermitsAndLeavesNothing() {
		long watches = server.number("watch_count");
		long ephemerals = server.number("ephemerals_count");
		List<Lease> holders = permits(this.there, 3);
		CompletableFuture<Lease> waiter = waiting(this.here, LockRequest.of("key").permits(3));
		// The places, and the heartbeat of their session.
		await("the waiter watches").until(() -> server.number("watch_count") == watches + 3 + 1);

		waiter.cancel(true);

		await("the next heartbeat ends its watch").until(() -> server.number("watch_count") == watches);
		await("the place is gone").until(() -> server.number("ephemerals_count") == ephemerals + 3);
		assertThat(holders).allMatch(Lease::release);
	}

	@Test
	void servedWaiterForAPermitLeavesNoWatch() {
		long watches = server.number("watch_count");
		List<Lease> holders = permits(this.there, 3);
		CompletableFuture<Lease> waiter = waiting(this.here, LockRequest.of("key").permits(3));
		await("the waiter watches").until(() -> server.number("watch_count") == watches + 3 + 1);

		assertThat(holders.get(1).release()).isTrue();

		assertThat(waiter.join().isHeld()).isTrue();
		await("the next heartbeat ends its watch").until(() -> server.number("watch_count") == watches);
	}

	@Test
	void waiterThatTimedOutLeavesNoWatch() {
		long watches = server.number("watch_count");
		List<Lease> holders = permits(this.there, 3);

		assertThat(this.here.template().tryAcquire(LockRequest.of("key").permits(3).waitTime(Duration.ofSeconds(1))))
			.isEmpty();

		await("the next heartbeat ends its watch").until(() -> server.number("watch_count") == watches);
		assertThat(holders).allMatch(Lease::isHeld);
	}

	@Test
	void triesWakeNoWaiterForAPermit() {
		permits(this.there, 3);
		waiting(this.here, LockRequest.of("key").permits(3));
		await("the waiter is in the queue").until(() -> line().size() == 4);
		long before = this.here.route().proxy().requests().packets();

		for (int i = 0; i < 100; i++) {
			assertThat(this.there.template().tryAcquire(LockRequest.of("key").permits(3))).isEmpty();
		}

		// Heartbeats and pings. A watch of all children would fire 200 times.
		assertThat(this.here.route().proxy().requests().packets() - before).isLessThan(50);
	}

	@Test
	void releaseWakesNoMoreWaitersThanThereArePermits() {
		List<Lease> holders = permits(this.there, 2);
		List<CompletableFuture<Lease>> waiters = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			int places = line().size();
			waiters.add(waiting(engine("another key"), LockRequest.of("key").permits(2)));
			await("a waiter is in the queue").until(() -> line().size() == places + 1);
		}
		// Heartbeats and pings of ten clients are about a third of this.
		await("all of them watch").until(() -> server.number("watch_count") >= 8 * 2);
		long before = server.number("packets_received");

		assertThat(holders.get(0).release()).isTrue();
		assertThat(waiters.get(0).join().isHeld()).isTrue();

		assertThat(server.number("packets_received") - before).isLessThan(8 * 4);
		assertThat(waiters.subList(1, 8)).noneMatch(CompletableFuture::isDone);
	}

	@Test
	void writerBehindReadersWatchesTheLastPlaceAndTheSessionsOfAllOfThem() {
		long watches = server.number("watch_count");
		List<Lease> readers = List.of(this.there.template().acquire(LockRequest.of("key").shared()),
				engine("another key").template().acquire(LockRequest.of("key").shared()),
				engine("another key").template().acquire(LockRequest.of("key").shared()));

		CompletableFuture<Lease> writer = waiting(this.here, LockRequest.of("key"));

		await("the writer watches").until(() -> server.number("watch_count") == watches + 1 + 3);
		assertThat(readers).allMatch(Lease::release);
		assertThat(writer.join().release()).isTrue();
		await("the next heartbeat ends its watches").until(() -> server.number("watch_count") == watches);
	}

	@Test
	void readersThatComeAndGoCostAWaitingWriterNothing() {
		Lease first = this.there.template().acquire(LockRequest.of("key").shared());
		CompletableFuture<Lease> writer = waiting(this.here, LockRequest.of("key"));
		await("the writer is in the queue").until(() -> line().size() == 2);
		ZooKeeperTestEngine reading = engine("another key");
		long before = this.here.route().proxy().requests().packets();

		for (int i = 0; i < 100; i++) {
			assertThat(reading.template().tryAcquire(LockRequest.of("key").shared())).isEmpty();
		}

		assertThat(this.here.route().proxy().requests().packets() - before).isLessThan(50);
		assertThat(first.release()).isTrue();
		assertThat(writer.join().isHeld()).isTrue();
	}

	private static List<Lease> permits(ZooKeeperTestEngine engine, int permits) {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < permits; i++) {
			leases.add(engine.template().acquire(LockRequest.of("key").permits(permits)));
		}
		return leases;
	}

	private static CompletableFuture<Lease> waiting(ZooKeeperTestEngine engine, LockRequest request) {
		return engine.template().acquireAsync(request.waitTime(Duration.ofMinutes(2))).toCompletableFuture();
	}

	private List<String> line() {
		try {
			return this.there.client().handle().getChildren(this.root + "/lock:key", false);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(90));
	}

}
