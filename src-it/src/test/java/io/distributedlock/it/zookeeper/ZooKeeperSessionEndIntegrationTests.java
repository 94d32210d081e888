package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for sessions that end at the servers before their holders know. A twin with the
 * same id and password ends them, as an administrator's tool does. A waiter behind them
 * gets the lock when the holder must know.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperSessionEndIntegrationTests {

	private static final int ROUNDS = 12;

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

	@Test
	void sessionClosedByATwinIsWaitedForUntilItsHolderMustKnow() {
		Duration sessionTimeout = Duration.ofSeconds(6);
		ZooKeeperTestEngine there = engine(sessionTimeout);
		List<ZooKeeperTestEngine> holders = new ArrayList<>();
		List<Lease> leases = new ArrayList<>();
		List<CompletableFuture<Boolean>> overlaps = new ArrayList<>();
		for (int i = 0; i < ROUNDS; i++) {
			String key = "key-" + i;
			ZooKeeperTestEngine holder = engine(sessionTimeout);
			Lease lease = holder.template().acquire(LockRequest.of(key).ttl(PATIENCE));
			holders.add(holder);
			leases.add(lease);
			overlaps.add(wait(there, key).thenApply((next) -> lease.isHeld()));
		}
		for (int i = 0; i < ROUNDS; i++) {
			String key = "key-" + i;
			await("a waiter behind " + key).until(() -> line(there, key).size() == 2);
		}

		holders.parallelStream().forEach((holder) -> holder.client().endSession(ZooKeeperServer.connectString()));

		assertThat(overlaps).extracting(CompletableFuture::join).containsOnly(false);
		assertThat(leases).noneMatch(Lease::release);
	}

	@Test
	void waiterWhoseOwnSessionEndsTooStillWaitsForTheHolder() {
		Duration sessionTimeout = Duration.ofSeconds(6);
		ZooKeeperTestEngine here = engine(sessionTimeout);
		ZooKeeperTestEngine there = engine(sessionTimeout);
		Lease lease = here.template().acquire(LockRequest.of("key").ttl(PATIENCE));
		CompletableFuture<Boolean> overlap = wait(there, "key").thenApply((next) -> lease.isHeld());
		await("a waiter in the queue").until(() -> line(here, "key").size() == 2);

		here.client().endSession(ZooKeeperServer.connectString());
		there.client().endSession(ZooKeeperServer.connectString());

		assertThat(overlap.join()).isFalse();
	}

	@Test
	void clientThatNeverSawTheHolderGetsAGreaterTokenAtOnce() {
		ZooKeeperTestEngine here = engine(LONG);
		Lease lease = here.template().acquire(LockRequest.of("key").ttl(PATIENCE));

		here.client().endSession(ZooKeeperServer.connectString());

		Lease next = engine(LONG).template().acquire("key");
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@Test
	void placeDeletedByAnAdministratorIsNotWaitedFor() throws Exception {
		ZooKeeperTestEngine here = engine(LONG);
		ZooKeeperTestEngine there = engine(LONG);
		here.template().acquire(LockRequest.of("key").ttl(PATIENCE));
		String place = line(here, "key").get(0);
		CompletableFuture<Lease> waiting = wait(there, "key");
		await("a waiter in the queue").until(() -> line(here, "key").size() == 2);

		there.client().handle().delete(lockPath("key") + "/" + place, -1);

		Awaitility.await("the waiter has the lock").atMost(SOON).until(waiting::isDone);
		assertThat(waiting.join().isHeld()).isTrue();
	}

	@Test
	void orderlyShutdownIsNotWaitedForEvenIfTheWaiterSeesItLate() throws Exception {
		ZooKeeperTestEngine here = engine(LONG);
		ZooKeeperTestEngine there = engine(LONG);
		ZooKeeperTestEngine observer = engine(LONG);
		observer.template().acquire("another key");
		here.template().acquire(LockRequest.of("key").ttl(PATIENCE));
		String session = Long.toHexString(here.client().handle().getSessionId());
		CompletableFuture<Lease> waiting = wait(there, "key");
		await("a waiter in the queue").until(() -> line(observer, "key").size() == 2);

		there.route().proxy().requests().hold();
		there.route().proxy().answers().hold();
		here.close();
		await("the session is gone")
			.until(() -> sessions(observer).stream().noneMatch((name) -> name.startsWith(session)));
		there.route().restore();

		Awaitility.await("the waiter has the lock").atMost(SOON).until(waiting::isDone);
		assertThat(waiting.join().isHeld()).isTrue();
		assertThat(sessions(observer)).contains("closed-" + session);
	}

	private static CompletableFuture<Lease> wait(ZooKeeperTestEngine engine, String key) {
		return engine.template()
			.acquireAsync(LockRequest.of(key).ttl(PATIENCE).waitTime(PATIENCE))
			.toCompletableFuture();
	}

	private String lockPath(String key) {
		return this.root + "/lock:" + key;
	}

	private List<String> line(ZooKeeperTestEngine engine, String key) throws Exception {
		return engine.client().handle().getChildren(lockPath(key), false).stream().sorted().toList();
	}

	private List<String> sessions(ZooKeeperTestEngine engine) throws Exception {
		return engine.client().handle().getChildren(this.root + "/.sessions", false);
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE);
	}

}
