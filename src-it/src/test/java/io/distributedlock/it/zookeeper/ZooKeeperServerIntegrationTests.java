package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.distributedlock.Lease;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the locks cause on the server: requests, watches and nodes.
 */
class ZooKeeperServerIntegrationTests {

	// Longer than the tests take, so that pings and heartbeats hardly count.
	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(10);

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	private static ZooKeeperProcess server;

	private final String root = "/server-" + OwnerId.random().value().substring(0, 8);

	private ZooKeeperTestEngine here;

	private ZooKeeperTestEngine there;

	@BeforeAll
	static void start() {
		server = ZooKeeperProcess.standalone(processes);
	}

	@BeforeEach
	void open() {
		this.here = new ZooKeeperTestEngine(() -> ProxyRoute.to(server.port()), this.root, SESSION_TIMEOUT);
		this.there = new ZooKeeperTestEngine(() -> ProxyRoute.to(server.port()), this.root, SESSION_TIMEOUT);
		this.here.template().acquire("key").release();
		this.there.template().acquire("key").release();
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@Test
	void acquisitionTakesTwoRequestsAndReleaseOne() {
		int pairs = 500;
		long before = server.number("packets_received");

		for (int i = 0; i < pairs; i++) {
			this.here.template().acquire("key").release();
		}

		long requests = server.number("packets_received") - before;
		// The rest are heartbeats and pings of both clients, and the container after a
		// long pause.
		assertThat(requests).isBetween(3L * pairs, 3L * pairs + pairs / 4);
	}

	@Test
	void allRequestsOfAnAcquisitionAreSentBeforeTheFirstIsAnswered() {
		this.here.route().proxy().answers().hold();
		long before = server.number("packets_received");

		CompletionStage<Lease> acquired = this.here.template().acquireAsync(LockRequest.of("new key"));

		await("the container, the place and the listing").until(() -> server.number("packets_received") - before >= 3);
		assertThat(acquired.toCompletableFuture()).isNotDone();
		this.here.route().proxy().restore();
		assertThat(acquired.toCompletableFuture().join().isHeld()).isTrue();
	}

	@Test
	void waitersLeaveNeitherWatchesNorPlacesBehind() {
		long watches = server.number("watch_count");
		long ephemerals = server.number("ephemerals_count");
		Lease lease = this.there.template().acquire("key");
		List<CompletableFuture<Lease>> waiters = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiters.add(this.here.template().acquireAsync(LockRequest.of("key")).toCompletableFuture());
		}
		// The place before it, and the heartbeat of its session.
		await("the head of the waiters watches").until(() -> server.number("watch_count") == watches + 2);
		assertThat(server.number("ephemerals_count")).isEqualTo(ephemerals + 2);

		waiters.forEach((waiter) -> waiter.cancel(true));

		await("the next heartbeat ends its watch").until(() -> server.number("watch_count") == watches);
		await("the place is gone").until(() -> server.number("ephemerals_count") == ephemerals + 1);
		assertThat(lease.release()).isTrue();
		await("all places are gone").until(() -> server.number("ephemerals_count") == ephemerals);
	}

	@Test
	void waiterThatTimedOutLeavesNothing() {
		long watches = server.number("watch_count");
		long ephemerals = server.number("ephemerals_count");
		Lease lease = this.there.template().acquire("key");

		Throwable failure = this.here.template()
			.acquireAsync(LockRequest.of("key").waitTime(Duration.ofMillis(300)))
			.toCompletableFuture()
			.handle((mine, fault) -> fault)
			.join();

		// Unavailable if the wait was over before the first answer.
		assertThat(failure).isInstanceOfAny(LockBusyException.class, LockUnavailableException.class);
		await("the next heartbeat ends its watch").until(() -> server.number("watch_count") == watches);
		lease.release();
		await("all places are gone").until(() -> server.number("ephemerals_count") == ephemerals);
	}

	@Test
	void servedWaiterLeavesNoWatch() {
		long watches = server.number("watch_count");
		Lease lease = this.there.template().acquire("key");
		CompletableFuture<Lease> waiter = this.here.template()
			.acquireAsync(LockRequest.of("key"))
			.toCompletableFuture();
		// The place before it, and the heartbeat of its session.
		await("the waiter watches").until(() -> server.number("watch_count") == watches + 2);

		lease.release();

		assertThat(waiter.join().release()).isTrue();
		await("the next heartbeat ends its watch").until(() -> server.number("watch_count") == watches);
	}

	@Test
	void triesThatAreBusyLeaveNothing() {
		Lease lease = this.there.template().acquire("key");
		long ephemerals = server.number("ephemerals_count");
		long watches = server.number("watch_count");

		for (int i = 0; i < 100; i++) {
			assertThat(this.here.template().tryAcquire("key")).isEmpty();
		}

		assertThat(server.number("ephemerals_count")).isEqualTo(ephemerals);
		assertThat(server.number("watch_count")).isEqualTo(watches);
		assertThat(lease.release()).isTrue();
	}

	@Test
	void tenThousandKeysLeaveTheStoreAsItWas() {
		await("earlier containers are gone").until(() -> nodes().isEmpty());
		long before = server.number("znode_count");

		for (int chunk = 0; chunk < 20; chunk++) {
			List<CompletableFuture<Boolean>> released = new ArrayList<>();
			for (int i = 0; i < 500; i++) {
				released.add(this.here.template()
					.acquireAsync(LockRequest.of("order:" + chunk + ":" + i))
					.thenCompose(Lease::releaseAsync)
					.toCompletableFuture());
			}
			assertThat(released).allMatch(CompletableFuture::join);
		}

		await("all containers are gone").until(() -> server.number("znode_count") == before);
	}

	@Test
	void tickOutlivesTheSessionAndItsClient() {
		Instant tick = Instant.parse("2026-03-29T01:30:00Z");
		this.here.template().acquire(LockRequest.of("job").tick(tick));
		this.here.client().endSession(server.connectString());
		this.here.close();

		Optional<Lease> again = this.there.template().tryAcquire(LockRequest.of("job").tick(tick));
		Optional<Lease> next = this.there.template().tryAcquire(LockRequest.of("job").tick(tick.plusSeconds(1)));

		assertThat(again).isEmpty();
		assertThat(next).isPresent();
		assertThat(children("job")).filteredOn((name) -> name.startsWith("tick-")).hasSize(1);
	}

	@Test
	void cooldownOutlivesTheSessionAndItsClient() {
		this.here.template().acquire(LockRequest.of("key").minHold(Duration.ofSeconds(4))).release();
		this.here.close();

		assertThat(this.there.template().tryAcquire("key")).isEmpty();
		Lease next = this.there.template().acquire("key");

		assertThat(next.isHeld()).isTrue();
		await("the cooldown is removed by the client that found it over")
			.until(() -> children("key").stream().noneMatch((name) -> name.startsWith("cooldown-")));
	}

	private List<String> nodes() throws Exception {
		return this.there.client()
			.handle()
			.getChildren(this.root, false)
			.stream()
			.filter((name) -> !name.startsWith("."))
			.toList();
	}

	private List<String> children(String key) {
		try {
			return this.there.client().handle().getChildren(this.root + "/lock:" + key, false);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(90));
	}

}
