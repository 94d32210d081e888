package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for nodes that are created late, and for nodes of crashed clients.
 */
class ZooKeeperSweepIntegrationTests {

	private final String root = "/sweep-" + OwnerId.random().value().substring(0, 8);

	private final ZooKeeperTestEngine here = engine();

	private final ZooKeeperTestEngine there = engine();

	private ZooKeeperTestEngine engine() {
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), this.root, Duration.ofSeconds(20));
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@Test
	void nodeThatIsNotUsedIsRemovedByTheSweepAndNoOther() throws Exception {
		this.here.template().acquire("key").release();
		String ghost = make(OwnerId.random());
		CompletableFuture<Lease> waiting = this.here.template()
			.acquireAsync(LockRequest.of("key"))
			.toCompletableFuture();
		await("a waiter behind it").until(() -> line().size() == 2);
		CompletableFuture<Lease> other = this.there.template()
			.acquireAsync(LockRequest.of("key"))
			.toCompletableFuture();
		await("another one").until(() -> line().size() == 3);

		this.here.client().sweep();

		await("the ghost is gone").until(() -> !line().contains(ghost));

		assertThat(waiting.join().isHeld()).isTrue();
		this.here.client().sweep();
		this.here.client().sweep();
		waiting.join().verify();
		assertThat(other).isNotDone();
		assertThat(waiting.join().release()).isTrue();
		assertThat(other.join().isHeld()).isTrue();
	}

	@Test
	void secondNodeOfALeaseGoesWithItsRelease() throws Exception {
		Lease lease = this.here.template().acquire("key");
		OwnerId ownerId = new OwnerId(line().get(0).substring(0, 32));
		this.here.client().assumeUnanswered("key", ownerId);
		make(ownerId);

		assertThat(lease.release()).isTrue();

		await("both are gone").until(() -> line().isEmpty());
	}

	@Test
	void nodesOfCrashedClientsGoWhenTheirTimeIsOverAndNoOthers() throws Exception {
		Instant tick = Instant.parse("2026-03-29T01:30:00Z");
		this.here.template().acquire(LockRequest.of("ticked").tick(tick)).release();
		this.here.template().acquire(LockRequest.of("cooling").minHold(Duration.ofMinutes(5))).release();
		this.here.template().acquire("over").release();
		Lease used = this.there.template().acquire("used");
		makeCooldown("over");
		makeCooldown("used");

		await("the cooldown that is over is gone").until(() -> {
			this.here.client().tidy();
			this.there.client().tidy();
			return children("over").isEmpty();
		});

		assertThat(children("ticked")).hasSize(1);
		assertThat(children("cooling")).hasSize(1);
		assertThat(children("used")).as("nodes that the client in the queue removes").hasSize(2);
		assertThat(used.release()).isTrue();
	}

	@Test
	void oneClientOfTwoTidies() throws Exception {
		this.here.template().acquire("over").release();
		this.there.template().acquire("over").release();
		List<String> sessions = this.there.client()
			.handle()
			.getChildren(this.root + "/.sessions", false)
			.stream()
			.sorted()
			.toList();
		String own = Long.toHexString(this.there.client().handle().getSessionId()) + "-";
		boolean thereIsFirst = sessions.get(0).startsWith(own);
		makeCooldown("over");
		// Until its millisecond is over by the server's clock.
		Awaitility.await().pollDelay(Duration.ofMillis(50)).until(() -> true);

		(thereIsFirst ? this.here : this.there).client().tidy();

		assertThat(sessions).hasSize(2);
		assertThat(children("over")).hasSize(1);
	}

	private void makeCooldown(String key) throws Exception {
		this.there.client()
			.handle()
			.create(this.root + "/lock:" + key + "/cooldown-1-" + OwnerId.random().value(), new byte[0],
					ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
	}

	private List<String> children(String key) throws Exception {
		return this.there.client().handle().getChildren(this.root + "/lock:" + key, false);
	}

	private String make(OwnerId ownerId) throws Exception {
		ZooKeeper handle = this.here.client().handle();
		String prefix = ownerId.value() + "-" + Long.toHexString(handle.getSessionId()) + "-lock-";
		String path = handle.create(this.root + "/lock:key/" + prefix, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE,
				CreateMode.EPHEMERAL_SEQUENTIAL);
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private List<String> line() throws Exception {
		return this.there.client().handle().getChildren(this.root + "/lock:key", false);
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(60));
	}

}
