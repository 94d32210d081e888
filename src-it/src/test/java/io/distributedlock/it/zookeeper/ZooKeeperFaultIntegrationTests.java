package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for lost answers, silent networks and sessions that end.
 */
@Execution(ExecutionMode.CONCURRENT)
class ZooKeeperFaultIntegrationTests {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	/**
	 * Longer than a connection takes on a busy machine.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final String root = "/faults-" + OwnerId.random().value().substring(0, 8);

	private final String lockPath = this.root + "/lock:key";

	private final ZooKeeperTestEngine here = engine();

	private final ZooKeeperTestEngine there = engine();

	private final CuratorFramework observer = CuratorFrameworkFactory.newClient(ZooKeeperServer.connectString(),
			new RetryOneTime(100));

	private ZooKeeperTestEngine engine() {
		return engine(SESSION_TIMEOUT);
	}

	private ZooKeeperTestEngine engine(Duration sessionTimeout) {
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), this.root, sessionTimeout);
	}

	@BeforeEach
	void connect() {
		this.observer.start();
		this.here.template().acquire("another key").release();
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		this.observer.close();
	}

	@Test
	void placeWhoseMakingWasNotAnsweredIsFoundAgainAndLeavesNoOrphan() {
		this.here.route().proxy().answers().drop();
		CompletionStage<AttemptOutcome> attempt = this.here.client().contend(LockTarget.exclusive("key"), () -> {
		}).attempt(new LeaseRequest(OwnerId.random(), PATIENCE, 1, null, true, PATIENCE, Duration.ZERO));
		await("the place is there").until(() -> places().size() == 1);
		List<String> made = places();

		this.here.route().proxy().restore();

		AttemptOutcome outcome = attempt.toCompletableFuture().join();
		assertThat(places()).isEqualTo(made);
		LeaseGrant grant = ((AttemptOutcome.Granted) outcome).grant();
		assertThat(this.here.client().release(grant, Duration.ZERO).toCompletableFuture().join()).isTrue();
		assertThat(places()).isEmpty();
		assertThat(this.there.template().tryAcquire("key")).isPresent();
	}

	@Test
	void requestThatGaveUpBeforeItsPlaceWasAnsweredLeavesNoOrphan() {
		this.here.route().proxy().answers().drop();
		CompletionStage<Lease> acquired = this.here.template()
			.acquireAsync(LockRequest.of("key").waitTime(Duration.ofMillis(500)));
		// After it has given up, it removes the place.
		await("the place was there").until(this::hasHadAPlace);
		assertThat(acquired.toCompletableFuture().handle((lease, failure) -> failure).join())
			.isInstanceOf(LockUnavailableException.class);

		this.here.route().proxy().restore();

		await("the place is gone").until(() -> places().isEmpty());
		assertThat(this.there.template().tryAcquire("key")).isPresent();
	}

	@Test
	void placeThatNothingUsesGoesWithTheReconnectHoweverLateThatIs() {
		// The session timeout is longer than this test waits.
		try (ZooKeeperTestEngine engine = engine(Duration.ofSeconds(40))) {
			engine.template().acquire("another key").release();
			engine.route().proxy().answers().drop();
			Duration ttl = Duration.ofMillis(200);
			CompletionStage<Lease> acquired = engine.template()
				.acquireAsync(LockRequest.of("key").ttl(ttl).waitTime(ttl));
			assertThat(acquired.toCompletableFuture().handle((lease, failure) -> failure).join())
				.isInstanceOf(LockUnavailableException.class);
			await("a place was made").until(() -> !places().isEmpty());
			engine.route().cut();
			// The engine abandons an attempt for one TTL, and each call has its timeout.
			Awaitility.await().pollDelay(ZooKeeperTestEngine.CALL_TIMEOUT.plusSeconds(3)).until(() -> true);

			engine.route().restore();

			Awaitility.await("the place is gone").atMost(Duration.ofSeconds(20)).until(() -> places().isEmpty());
			assertThat(this.there.template().tryAcquire("key")).isPresent();
		}
	}

	@Test
	void silencedConnectionIsReplacedAndTheSessionKept() {
		// The client itself would leave it after two thirds of this.
		try (ZooKeeperTestEngine engine = engine(Duration.ofSeconds(30))) {
			Lease held = engine.template().acquire(LockRequest.of("held").ttl(Duration.ofMinutes(5)));
			long session = engine.client().handle().getSessionId();

			engine.route().proxy().silence();

			long silencedAt = System.nanoTime();
			await("the next grant").pollDelay(Duration.ZERO)
				.ignoreException(LockUnavailableException.class)
				.until(() -> {
					engine.template().acquire(LockRequest.of("key").waitTime(Duration.ZERO)).release();
					return true;
				});
			assertThat(Duration.ofNanos(System.nanoTime() - silencedAt))
				.isLessThan(ZooKeeperTestEngine.CALL_TIMEOUT.multipliedBy(3).plusSeconds(1));
			assertThat(engine.client().handle().getSessionId()).isEqualTo(session);
			held.verify();
			assertThat(held.release()).isTrue();
		}
	}

	@Test
	void connectionThatTakesLongerThanACallIsUsedByLaterOnes() {
		Duration callTimeout = Duration.ofMillis(500);
		try (ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> {
			ProxyRoute route = ProxyRoute.to(ZooKeeperServer.port());
			route.proxy().delay(callTimeout.multipliedBy(6));
			return route;
		}, this.root, Duration.ofSeconds(30), callTimeout)) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> engine.template().tryAcquire("key"));
			ZooKeeper begun = engine.client().handle();

			await("the connection is there").until(() -> begun.getState().isConnected());
			engine.route().proxy().delay(Duration.ZERO);

			await("a grant").ignoreException(LockUnavailableException.class)
				.until(() -> engine.template().tryAcquire("key").isPresent());
			assertThat(engine.client().handle()).isSameAs(begun);
		}
	}

	@Test
	void serversThatAreDownAtTheStartAreUsedWhenTheyAreUp() {
		try (ZooKeeperTestEngine engine = new ZooKeeperTestEngine(() -> {
			ProxyRoute route = ProxyRoute.to(ZooKeeperServer.port());
			route.cut();
			return route;
		}, this.root, SESSION_TIMEOUT)) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> engine.template().tryAcquire("key"));

			engine.route().restore();

			await("a grant").ignoreException(LockUnavailableException.class)
				.until(() -> engine.template().tryAcquire("key").isPresent());
		}
	}

	@Test
	void releaseWhoseAnswerWasLostIsReported() {
		Lease lease = this.here.template().acquire("key");
		this.here.route().proxy().answers().drop();
		CompletionStage<Boolean> released = lease.releaseAsync();
		await("the place is gone").until(() -> places().isEmpty());

		this.here.route().proxy().restore();

		assertThat(released.toCompletableFuture().join()).isTrue();
	}

	@Test
	void releaseThatWasRepeatedAndFoundNothingIsUnknownToTheEngine() {
		try (ZooKeeperTestEngine patient = new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()),
				this.root, SESSION_TIMEOUT, Duration.ofSeconds(20))) {
			patient.template().acquire("another key").release();
			AttemptOutcome outcome = patient.client().contend(LockTarget.exclusive("key"), () -> {
			})
				.attempt(new LeaseRequest(OwnerId.random(), PATIENCE, 1, null, false, PATIENCE, Duration.ZERO))
				.toCompletableFuture()
				.join();
			patient.route().proxy().answers().drop();
			CompletionStage<Boolean> released = patient.client()
				.release(((AttemptOutcome.Granted) outcome).grant(), Duration.ZERO);
			await("the node is gone").until(() -> places().isEmpty());

			patient.route().proxy().restore();

			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> released.toCompletableFuture().join())
				.havingCause()
				.isInstanceOf(LockUnavailableException.class)
				.withMessageContaining("'key'")
				.withMessageContaining("was repeated and found nothing");
			assertThat(this.there.template().tryAcquire("key")).isPresent();
		}
	}

	@Test
	void releaseWithoutAConnectionGoesOnInTheBackground() {
		Lease lease = this.here.template().acquire("key");
		this.here.route().cut();

		lease.release();
		assertThat(places()).hasSize(1);
		this.here.route().restore();

		await("the place is gone").until(() -> places().isEmpty());
		assertThat(this.there.template().tryAcquire("key")).isPresent();
		assertThat(this.here.template().tryAcquire("key")).isEmpty();
	}

	@Test
	void tryInASilentNetworkIsUnavailable() {
		this.there.template().acquire("key");
		silence(this.here);

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.here.template().tryAcquire("key"));
	}

	@Test
	void waitInASilentNetworkIsUnavailable() {
		this.there.template().acquire("key");
		silence(this.here);

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.here.template().acquire(LockRequest.of("key").waitTime(Duration.ofMillis(700))));
	}

	@Test
	void leaseInASilentNetworkIsLostBeforeTheSessionIs() {
		Lease lease = this.here.template().acquire("key");
		AtomicInteger told = new AtomicInteger();
		lease.onLost((lost) -> told.incrementAndGet());
		AtomicBoolean heldAtGrant = new AtomicBoolean(true);
		CompletableFuture<Lease> waiting = this.there.template()
			.acquireAsync(LockRequest.of("key"))
			.toCompletableFuture();
		CompletableFuture<Void> granted = waiting.thenAccept((next) -> heldAtGrant.set(lease.isHeld()));
		await("the waiter is in the queue").until(() -> places().size() == 2);

		silence(this.here);
		granted.join();

		assertThat(heldAtGrant).as("whether the lease was held when another one was granted").isFalse();
		Lease next = waiting.join();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		await("the holder is notified").until(() -> told.get() > 0);
		assertThat(told).hasValue(1);
		this.here.route().restore();
		assertThat(lease.release()).isFalse();
		next.verify();
	}

	@Test
	void silenceShorterThanHalfTheSessionTimeoutLosesNothing() {
		// Half of it is longer than silence and pauses of a busy machine together.
		Duration timeout = Duration.ofSeconds(15);
		try (ZooKeeperTestEngine engine = engine(timeout)) {
			Lease lease = engine.template().acquire("key");
			silence(engine);
			// Longer than the pause between two beats.
			Awaitility.await().pollDelay(timeout.dividedBy(5)).until(() -> true);

			engine.route().restore();

			lease.verify();
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.release()).isTrue();
		}
	}

	@Test
	void endOfTheSessionLosesAllLeasesAtOnceAndReportsEachOnce() {
		List<Lease> leases = new ArrayList<>();
		AtomicInteger told = new AtomicInteger();
		for (int i = 0; i < 20; i++) {
			Lease lease = this.here.template().acquire(LockRequest.of("key-" + i).ttl(Duration.ofMinutes(10)));
			lease.onLost((lost) -> told.incrementAndGet());
			leases.add(lease);
		}

		this.here.client().endSession(ZooKeeperServer.connectString());

		await("all are notified").until(() -> told.get() == leases.size());
		assertThat(leases).noneMatch(Lease::isHeld);
		assertThat(leases).noneMatch(Lease::release);
		assertThat(told).hasValue(leases.size());
		assertThat(this.here.template().tryAcquire("key-1")).isPresent();
	}

	@Test
	void waiterWhoseSessionEndedStandsInLineAgain() {
		Lease lease = this.there.template().acquire("key");
		CompletionStage<Lease> waiting = this.here.template().acquireAsync(LockRequest.of("key"));
		await("the waiter is in the queue").until(() -> places().size() == 2);
		List<String> before = places();

		this.here.client().endSession(ZooKeeperServer.connectString());

		await("the waiter is in the queue again").until(() -> places().size() == 2 && !places().equals(before));
		assertThat(lease.release()).isTrue();
		assertThat(waiting.toCompletableFuture().join().isHeld()).isTrue();
	}

	private static void silence(ZooKeeperTestEngine engine) {
		engine.route().proxy().requests().hold();
		engine.route().proxy().answers().hold();
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

	private boolean hasHadAPlace() throws Exception {
		Stat container = this.observer.checkExists().forPath(this.lockPath);
		return container != null && container.getCversion() > 0;
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE);
	}

}
