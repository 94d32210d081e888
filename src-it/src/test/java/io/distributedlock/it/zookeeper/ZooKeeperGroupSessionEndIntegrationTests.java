package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for sessions of shared leases and permits that end at the servers before their
 * holders know. A twin with the same id and password ends them.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperGroupSessionEndIntegrationTests {

	private static final int ROUNDS = 4;

	/**
	 * With a long session timeout, a needless wait of half of it is noticed.
	 */
	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final String root = "/ends-" + OwnerId.random().value().substring(0, 8);

	private final List<ZooKeeperTestEngine> engines = new ArrayList<>();

	private ZooKeeperTestEngine engine(Duration sessionTimeout) {
		ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), this.root,
				sessionTimeout);
		this.engines.add(engine);
		return engine;
	}

	@AfterEach
	void close() {
		this.engines.forEach(ZooKeeperTestEngine::close);
	}

	static Stream<Arguments> rivals() {
		LockRequest writer = LockRequest.of("key");
		return Stream.of(Arguments.of(writer.shared(), writer), Arguments.of(writer, writer.shared()),
				Arguments.of(writer.permits(1), writer.permits(1)), Arguments.of(writer.shared(), writer.permits(2)),
				Arguments.of(writer.permits(2), writer));
	}

	@ParameterizedTest
	@MethodSource("rivals")
	void sessionClosedByATwinIsWaitedForUntilItsHolderMustKnow(LockRequest held, LockRequest wanted) {
		Duration sessionTimeout = Duration.ofSeconds(6);
		for (int round = 0; round < ROUNDS; round++) {
			ZooKeeperTestEngine holder = engine(sessionTimeout);
			ZooKeeperTestEngine waiter = engine(sessionTimeout);
			Lease lease = holder.template().acquire(held.ttl(PATIENCE));
			CompletableFuture<Boolean> overlap = wait(waiter, wanted).thenApply((next) -> {
				boolean heldStill = lease.isHeld();
				next.release();
				return heldStill;
			});
			await("a waiter in the queue").until(() -> line(waiter).size() == 2);

			holder.client().endSession(ZooKeeperServer.connectString());

			assertThat(overlap.join()).isFalse();
			assertThat(lease.release()).isFalse();
		}
	}

	@Test
	void permitReleasedBesideTheEndOfAnotherSessionIsNotWaitedFor() {
		ZooKeeperTestEngine gone = engine(LONG);
		ZooKeeperTestEngine holder = engine(LONG);
		ZooKeeperTestEngine waiter = engine(LONG);
		LockRequest permits = LockRequest.of("key").permits(2).ttl(PATIENCE);
		gone.template().acquire(permits);
		Lease lease = holder.template().acquire(permits);
		CompletableFuture<Lease> waiting = wait(waiter, permits);
		await("a waiter in the queue").until(() -> line(holder).size() == 3);

		gone.client().endSession(ZooKeeperServer.connectString());
		await("the place is gone").until(() -> line(holder).size() == 2);
		assertThat(lease.release()).isTrue();

		Awaitility.await("the waiter has a permit").atMost(SOON).until(waiting::isDone);
		assertThat(waiting.join().isHeld()).isTrue();
	}

	@Test
	void readerDoesNotWaitForTheEndOfAnotherReader() {
		ZooKeeperTestEngine gone = engine(LONG);
		ZooKeeperTestEngine writer = engine(LONG);
		ZooKeeperTestEngine reader = engine(LONG);
		LockRequest shared = LockRequest.of("key").shared().ttl(PATIENCE);
		gone.template().acquire(shared);
		CompletableFuture<Lease> writing = wait(writer, LockRequest.of("key"));
		await("a writer in the queue").until(() -> line(reader).size() == 2);
		CompletableFuture<Lease> reading = wait(reader, shared);
		await("a reader in the queue").until(() -> line(writer).size() == 3);

		gone.client().endSession(ZooKeeperServer.connectString());
		await("the first reader is gone").until(() -> line(reader).size() == 2);
		assertThat(reading).isNotDone();
		writing.cancel(true);

		Awaitility.await("the reader has the lock").atMost(SOON).until(reading::isDone);
		assertThat(reading.join().isHeld()).isTrue();
	}

	@Test
	void endOfTheSessionLosesAllMembersOfAGroupAndReportsEach() {
		ZooKeeperTestEngine here = engine(LONG);
		ZooKeeperTestEngine there = engine(LONG);
		List<Lease> leases = new ArrayList<>();
		List<Lease> lost = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			leases.add(here.template().acquire(LockRequest.of("key").permits(3).ttl(PATIENCE)));
		}
		leases.add(here.template().acquire(LockRequest.of("another key").shared().ttl(PATIENCE)));
		leases.forEach((lease) -> lease.onLost((ended) -> {
			synchronized (lost) {
				lost.add(lease);
			}
		}));

		here.client().endSession(ZooKeeperServer.connectString());

		await("all are notified").until(() -> {
			synchronized (lost) {
				return lost.size() == leases.size();
			}
		});
		assertThat(leases).noneMatch(Lease::isHeld).noneMatch(Lease::release);
		assertThat(lost).containsExactlyInAnyOrderElementsOf(leases);
		assertThat(there.template().tryAcquire("key")).isPresent();
	}

	private static CompletableFuture<Lease> wait(ZooKeeperTestEngine engine, LockRequest request) {
		return engine.template().acquireAsync(request.ttl(PATIENCE).waitTime(PATIENCE)).toCompletableFuture();
	}

	private List<String> line(ZooKeeperTestEngine engine) throws Exception {
		return engine.client().handle().getChildren(this.root + "/lock:key", false);
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE);
	}

}
