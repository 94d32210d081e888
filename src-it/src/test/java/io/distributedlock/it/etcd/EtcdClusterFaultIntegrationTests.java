package io.distributedlock.it.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.etcd.jetcd.Client;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.it.FurtherTopology;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a cluster of three members whose leader stands still or dies.
 */
@RequiresEtcd
@FurtherTopology
class EtcdClusterFaultIntegrationTests {

	private static final Duration SESSION_TTL = Duration.ofSeconds(5);

	private static final Duration LONG = Duration.ofSeconds(60);

	private final String key = EtcdTestClient.newKey();

	private final AtomicBoolean heldAtGrant = new AtomicBoolean();

	private EtcdCluster cluster;

	private Client connectionsHere;

	private Client connectionsThere;

	private EtcdTestEngine here;

	private EtcdTestEngine there;

	@BeforeEach
	void start() {
		this.cluster = EtcdCluster.start();
		this.connectionsHere = this.cluster.client();
		this.connectionsThere = this.cluster.client();
	}

	private void connect(Duration sessionTtl) {
		this.here = new EtcdTestEngine(this.connectionsHere, sessionTtl);
		this.there = new EtcdTestEngine(this.connectionsThere, sessionTtl);
	}

	@AfterEach
	void end() {
		this.cluster.members().forEach(EtcdProcess::resume);
		this.here.close();
		this.there.close();
		this.connectionsHere.close();
		this.connectionsThere.close();
		this.cluster.close();
	}

	@Test
	void holderOutlivesALeaderThatStandsStillOrHasLostItsLeaseBeforeAWaiterHasTheLock() {
		connect(SESSION_TTL);
		Lease lease = acquireHere();
		CompletableFuture<Lease> waiting = waitThere();
		EtcdProcess leader = this.cluster.leader();

		leader.pause();
		long paused = System.nanoTime();
		Awaitility.await("longer than the session lives")
			.atMost(LONG)
			.until(() -> System.nanoTime() - paused > SESSION_TTL.multipliedBy(2).toNanos());
		leader.resume();
		Awaitility.await("all members agree again")
			.atMost(LONG)
			.untilAsserted(() -> this.cluster.members().forEach(EtcdProcess::awaitReady));
		// Whether the lease was kept depends on how soon another member led, and does not
		// matter.
		lease.release();

		Lease next = EtcdTestClient.await(waiting);
		assertThat(this.heldAtGrant).as("whether the lease was held when another one was granted").isFalse();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		next.verify();
		assertThat(next.release()).isTrue();
	}

	@Test
	void locksAreHadAgainSoonAfterTheLeaderHasDied() {
		// Longer than an election takes on a busy machine.
		connect(LONG);
		Lease lease = acquireHere();
		EtcdProcess leader = this.cluster.leader();

		leader.kill();

		Lease other = this.there.template().acquire(LockRequest.of(EtcdTestClient.newKey()).waitTime(LONG));
		assertThat(other.release()).isTrue();
		assertThat(lease.isHeld()).as("whether the lease outlived the leader").isTrue();
		assertThat(this.there.template().tryAcquire(this.key)).isEmpty();
		leader.restart();
		assertThat(lease.release()).isTrue();
		assertThat(this.there.template().acquire(this.key).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	private Lease acquireHere() {
		Lease lease = this.here.template().acquire(LockRequest.of(this.key));
		this.there.atGrant(() -> this.heldAtGrant.set(lease.isHeld()));
		return lease;
	}

	private CompletableFuture<Lease> waitThere() {
		CompletableFuture<Lease> waiting = this.there.template()
			.acquireAsync(LockRequest.of(this.key).waitTime(LONG))
			.toCompletableFuture();
		Awaitility.await("the waiter is in the queue")
			.until(() -> EtcdTestClient.places(this.connectionsThere, this.key).size() == 2);
		return waiting;
	}

}
