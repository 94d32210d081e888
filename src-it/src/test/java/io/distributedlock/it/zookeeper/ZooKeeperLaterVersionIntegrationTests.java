package io.distributedlock.it.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.distributedlock.Lease;
import io.distributedlock.LockInfo;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for nodes that a later version of the library may create. A lock with a node that
 * this version does not know is taken, and the node is left alone.
 */
class ZooKeeperLaterVersionIntegrationTests {

	private static final String OWNER = "0123456789abcdef0123456789abcdef";

	private final String root = "/later-" + OwnerId.random().value().substring(0, 8);

	private final ZooKeeperTestEngine here = engine();

	private final ZooKeeperTestEngine there = engine();

	private ZooKeeperTestEngine engine() {
		return new ZooKeeperTestEngine(() -> ProxyRoute.to(ZooKeeperServer.port()), this.root, Duration.ofSeconds(20));
	}

	@BeforeEach
	void makeContainer() {
		this.there.template().acquire("key").release();
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { OWNER + "-1f-shared-0000000000", OWNER + "-1f-lock-0000000000-v2", "tick2-5-" + OWNER,
			"cooldown-9999999999999999999-" + OWNER, "anything" })
	void nodeThatIsNotKnownIsTakenAndLeftAlone(String name) throws Exception {
		make(name, CreateMode.PERSISTENT);

		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.here.template().tryAcquire("key"))
			.withMessageContainingAll("'key'", "'" + name + "'", "later version");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.here.template().acquire(LockRequest.of("key").waitTime(Duration.ofMillis(300))))
			.withMessageContaining(name);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> {
			throw failureOf(this.here.client().find("key"));
		}).withMessageContaining(name);
	}

	@Test
	void waiterIsNotGrantedTheLockBesideANodeThatIsNotKnown() throws Exception {
		Lease lease = this.there.template().acquire("key");
		CompletableFuture<Lease> waiting = this.here.template()
			.acquireAsync(LockRequest.of("key").waitTime(Duration.ofSeconds(60)))
			.toCompletableFuture();
		Awaitility.await().until(() -> line().size() == 2);
		String later = make(OWNER + "-1f-shared-", CreateMode.PERSISTENT_SEQUENTIAL);

		assertThat(lease.release()).isTrue();
		Awaitility.await("the waiter has left the queue").until(() -> line().equals(List.of(later)));
		this.here.client().sweep();
		this.here.client().tidy();
		this.there.client().tidy();

		assertThat(waiting).isNotDone();
		assertThat(line()).contains(later);
		handle().delete(this.root + "/lock:key/" + later, -1);
		assertThat(waiting.join().isHeld()).isTrue();
	}

	private static Throwable failureOf(CompletionStage<?> stage) {
		return stage
			.handle((value, failure) -> (failure instanceof CompletionException wrapped) ? wrapped.getCause() : failure)
			.toCompletableFuture()
			.join();
	}

	@Test
	void forcedReleaseLeavesWhatIsNotKnownAloneAndSaysSo() throws Exception {
		make("anything", CreateMode.PERSISTENT);
		Lease other = this.there.template().acquire("other");

		assertThat(failureOf(this.there.client().forceRelease("key", Duration.ZERO)))
			.isInstanceOf(LockUnavailableException.class)
			.hasMessageContaining("anything");

		assertThat(line()).containsExactly("anything");
		assertThat(ListedLocks.all(this.there.client()).toCompletableFuture().join()).extracting(LockInfo::key)
			.containsExactly("other");
		assertThat(other.release()).isTrue();
	}

	@Test
	void placeOfAGroupIsWaitedFor() throws Exception {
		String group = make(OWNER + "-1f-lock-", CreateMode.PERSISTENT_SEQUENTIAL);
		assertThat(this.here.template().tryAcquire("key")).isEmpty();

		handle().delete(this.root + "/lock:key/" + group, -1);

		assertThat(this.here.template().tryAcquire("key")).isPresent();
	}

	@Test
	void nodeWithADotIsIgnored() throws Exception {
		make(".note", CreateMode.PERSISTENT);

		assertThat(this.here.template().tryAcquire("key")).isPresent();
	}

	private ZooKeeper handle() {
		return this.there.client().handle();
	}

	private String make(String name, CreateMode mode) throws Exception {
		String path = handle().create(this.root + "/lock:key/" + name, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
		return path.substring(path.lastIndexOf('/') + 1);
	}

	private List<String> line() throws Exception {
		try {
			return handle().getChildren(this.root + "/lock:key", false);
		}
		catch (KeeperException.NoNodeException ex) {
			return List.of();
		}
	}

}
