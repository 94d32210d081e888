package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.it.FurtherTopology;
import io.distributedlock.it.process.JavaProcesses;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an ensemble whose servers are cut off from each other, or die.
 */
@FurtherTopology
class ZooKeeperEnsembleIntegrationTests {

	private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

	@RegisterExtension
	static final JavaProcesses processes = new JavaProcesses();

	private static ZooKeeperEnsemble ensemble;

	private final String root = "/ensemble-" + OwnerId.random().value().substring(0, 8);

	@BeforeAll
	static void start() {
		ensemble = ZooKeeperEnsemble.behindProxies(processes);
	}

	@AfterEach
	void restore() {
		ensemble.restore();
	}

	@AfterAll
	static void stop() {
		ensemble.close();
	}

	private ZooKeeperTestEngine engineAt(int... ports) {
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ports), this.root, SESSION_TIMEOUT);
	}

	@Test
	void holderWhoseServerIsCutOffFromTheLeaderHasLostItsLeaseBeforeAnotherIsGrantedTheLock() throws Exception {
		ZooKeeperProcess cutOff = ensemble.follower(0);
		ZooKeeperProcess other = ensemble.follower(1);
		try (ZooKeeperTestEngine here = engineAt(cutOff.port()); ZooKeeperTestEngine there = engineAt(other.port())) {
			Lease lease = here.template().acquire("key");
			AtomicInteger told = new AtomicInteger();
			lease.onLost((lost) -> told.incrementAndGet());
			AtomicBoolean heldAtGrant = new AtomicBoolean(true);
			CompletableFuture<Lease> waiting = there.template()
				.acquireAsync(LockRequest.of("key"))
				.toCompletableFuture();
			CompletableFuture<Void> granted = waiting.thenAccept((next) -> heldAtGrant.set(lease.isHeld()));
			ZooKeeper atCutOff = connect(cutOff);
			await("both are in the queue").until(() -> line(atCutOff).size() == 2);
			List<String> before = line(atCutOff);

			ensemble.isolate(cutOff);
			await("the lease is lost").until(() -> !lease.isHeld());

			// The server continues: its clients are connected, and it still shows the
			// place.
			assertThat(here.client().handle().getState().isConnected()).isTrue();
			assertThat(line(atCutOff)).isEqualTo(before);
			granted.join();
			assertThat(heldAtGrant).isFalse();
			assertThat(line(atCutOff)).as("the queue, as the isolated server sees it").isEqualTo(before);
			assertThat(told).hasValue(1);
			assertThat(waiting.join().fencingToken()).isGreaterThan(lease.fencingToken());
			ensemble.restore();
			assertThat(lease.release()).isFalse();
			waiting.join().verify();
			atCutOff.close();
		}
	}

	private ZooKeeper connect(ZooKeeperProcess server) throws Exception {
		ZooKeeper client = new ZooKeeper(server.connectString(), 20_000, (event) -> {
		});
		await("a connection").until(() -> client.getState().isConnected());
		return client;
	}

	private List<String> line(ZooKeeper client) throws Exception {
		return client.getChildren(this.root + "/lock:key", false).stream().sorted().toList();
	}

	@Test
	void leaseOutlivesTheDeathOfItsServer() throws Exception {
		try (ZooKeeperTestEngine here = new ZooKeeperTestEngine(() -> ProxyRoute.to(ensemble.ports()), this.root,
				Duration.ofSeconds(20)); ZooKeeperTestEngine there = engineAt(ensemble.ports())) {
			Lease lease = here.template().acquire("key");
			ZooKeeperProcess follower = ensemble.follower(0);

			follower.kill();

			await("the lease is confirmed").ignoreExceptions().until(() -> {
				lease.verify();
				return true;
			});
			assertThat(lease.isHeld()).isTrue();
			// Its first server may be the one that is dead.
			there.template().acquire("another key").release();
			assertThat(there.template().tryAcquire("key")).isEmpty();
			follower.start();
			assertThat(lease.release()).isTrue();
		}
	}

	@Test
	void tokensGrowOverAnElection() throws Exception {
		try (ZooKeeperTestEngine here = engineAt(ensemble.ports())) {
			Lease before = here.template().acquire("key");
			before.release();
			ZooKeeperProcess leader = ensemble.leader();
			leader.kill();

			Lease after = here.template().acquire("key");

			leader.start();
			assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
		}
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(60));
	}

}
