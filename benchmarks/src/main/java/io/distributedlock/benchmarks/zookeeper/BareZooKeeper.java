package io.distributedlock.benchmarks.zookeeper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

import io.distributedlock.benchmarks.contest.Address;
import io.distributedlock.benchmarks.contest.Side;

/**
 * Two round trips by one client: one creates an ephemeral sequential node and lists its
 * siblings, in one flush; one deletes the node. The parents exist.
 */
final class BareZooKeeper implements Side {

	private static final String ROOT = "/bare";

	private static final byte[] NO_DATA = {};

	private static final int SESSION_TIMEOUT = 30_000;

	private final ZooKeeper client;

	BareZooKeeper(Address address) {
		CountDownLatch connected = new CountDownLatch(1);
		try {
			this.client = new ZooKeeper("127.0.0.1:" + address.port(), SESSION_TIMEOUT, (event) -> {
				if (event.getState() == KeeperState.SyncConnected) {
					connected.countDown();
				}
			});
			connected.await();
			createParent(ROOT);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException | KeeperException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Held acquire(String key) throws Exception {
		String lock = ROOT + "/" + key;
		CompletableFuture<String> made = new CompletableFuture<>();
		CompletableFuture<List<String>> listed = new CompletableFuture<>();
		this.client.create(lock + "/lock-", NO_DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL_SEQUENTIAL,
				(code, path, context, name, stat) -> complete(made, code, name), null);
		this.client.getChildren(lock, false, (code, path, context, children) -> complete(listed, code, children), null);
		if (listed.handle((queue, fault) -> fault instanceof KeeperException.NoNodeException).join()) {
			// This key is used for the first time.
			createParent(lock);
			return acquire(key);
		}
		List<String> queue = listed.join();
		String own = made.join();
		while (!own.endsWith(Collections.min(queue))) {
			queue = this.client.getChildren(lock, false);
		}
		return () -> this.client.delete(own, -1);
	}

	private static <T> void complete(CompletableFuture<T> answer, int code, T value) {
		if (code == Code.OK.intValue()) {
			answer.complete(value);
		}
		else {
			answer.completeExceptionally(KeeperException.create(Code.get(code)));
		}
	}

	private void createParent(String path) throws KeeperException, InterruptedException {
		try {
			this.client.create(path, NO_DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
		}
		catch (KeeperException.NodeExistsException ex) {
			// Another thread or JVM has created it.
		}
	}

	@Override
	public void close() {
		try {
			this.client.close();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
