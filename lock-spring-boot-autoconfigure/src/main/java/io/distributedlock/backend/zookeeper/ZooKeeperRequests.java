package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one session, as stages. What is sent one after the other is served in
 * this order, and nothing waits for the answer to what was sent before: requests that
 * follow each other at once take one round trip.
 * <p>
 * Stages are completed on the event thread of the client, in the order of the requests,
 * and exceptionally with a {@link KeeperException}, or with a
 * {@link io.distributedlock.LockRefusedException} that is caused by one.
 *
 * @param handle the client
 * @param acl who may do what with nodes that are made
 * @param user who asks, for messages; {@code null} if that is not known
 * @param watchdog drops connections that are silent
 */
record ZooKeeperRequests(ZooKeeper handle, List<ACL> acl, @Nullable String user, ConnectionWatchdog watchdog) {

	private static final byte[] EMPTY = {};

	/**
	 * Make a node.
	 * @return its path and state
	 */
	CompletableFuture<Created> create(String path, byte[] data, CreateMode mode) {
		return send((answer) -> this.handle.create(path, data, this.acl, mode, (code, asked, context, made,
				stat) -> settle(answer, code, Permission.CREATE, asked, () -> new Created(made, stat)), null));
	}

	CompletableFuture<Created> create(String path, CreateMode mode) {
		return create(path, EMPTY, mode);
	}

	CompletableFuture<List<String>> getChildren(String path) {
		return send((answer) -> this.handle.getChildren(path, false,
				(code, asked, context, children) -> settle(answer, code, Permission.READ, asked, () -> children),
				null));
	}

	/**
	 * List the nodes of this session that end with it, at all levels below a path. The
	 * server answers with its own paths, which begin with the chroot of the client.
	 */
	CompletableFuture<List<String>> getEphemerals(String path) {
		return send((answer) -> this.handle.getEphemerals(path,
				(code, context, paths) -> settle(answer, code, Permission.READ, path, () -> paths), null));
	}

	/**
	 * Let the server that this session talks to catch up with the leader.
	 */
	CompletableFuture<String> sync(String path) {
		return send((answer) -> this.handle.sync(path,
				(code, asked, context) -> settle(answer, code, Permission.READ, asked, () -> asked), null));
	}

	CompletableFuture<Stat> exists(String path) {
		return send((answer) -> this.handle.exists(path, false,
				(code, asked, context, stat) -> settle(answer, code, Permission.READ, asked, () -> stat), null));
	}

	CompletableFuture<Content> getData(String path) {
		return send((answer) -> this.handle.getData(path, false, (code, asked, context, data, stat) -> settle(answer,
				code, Permission.READ, asked, () -> new Content(text(data), stat)), null));
	}

	/**
	 * Watch a node, which must be there. Not by {@code exists}, which would leave the
	 * watch behind where there is no node.
	 */
	CompletableFuture<Stat> watch(String path, Watcher watcher) {
		return send((answer) -> this.handle.getData(path, watcher,
				(code, asked, context, data, stat) -> settle(answer, code, Permission.READ, asked, () -> stat), null));
	}

	/**
	 * End the watches of this session on a node. By this request alone the server forgets
	 * them: that for a single watcher only asks it.
	 */
	CompletableFuture<String> unwatch(String path) {
		return send((answer) -> this.handle.removeAllWatches(path, WatcherType.Data, true,
				(code, asked, context) -> settle(answer, code, Permission.READ, asked, () -> asked), null));
	}

	CompletableFuture<Stat> setData(String path, byte[] data) {
		return send((answer) -> this.handle.setData(path, data, -1,
				(code, asked, context, stat) -> settle(answer, code, Permission.WRITE, asked, () -> stat), null));
	}

	CompletableFuture<String> delete(String path) {
		return send((answer) -> this.handle.delete(path, -1,
				(code, asked, context) -> settle(answer, code, Permission.DELETE, asked, () -> asked), null));
	}

	/**
	 * Delete nodes, unless they are gone.
	 */
	CompletableFuture<Void> deleteAll(Stream<String> paths) {
		return CompletableFuture
			.allOf(paths.map((path) -> ZooKeeperFaults.orElse(delete(path), path)).toArray(CompletableFuture[]::new));
	}

	/**
	 * Delete nodes in the queue for a lock.
	 * @param which the nodes to delete
	 */
	CompletableFuture<Void> deleteQueued(String lockPath, Predicate<QueueNode> which) {
		return ZooKeeperFaults.orElse(getChildren(lockPath), List.of())
			.thenCompose((names) -> deleteAll(
					QueueListing.of(names).queue().stream().filter(which).map((node) -> lockPath + "/" + node.name())));
	}

	/**
	 * Do all of this, or nothing.
	 */
	CompletableFuture<String> multi(List<Op> operations) {
		return send((answer) -> this.handle.multi(operations,
				(code, asked, context, results) -> settle(answer, code, operations, results), null));
	}

	/**
	 * Delete one node and make a persistent one, or neither.
	 */
	CompletableFuture<String> exchange(String deleted, String made) {
		return multi(List.of(Op.delete(deleted, -1), opToCreate(made, CreateMode.PERSISTENT)));
	}

	Op opToCreate(String path, CreateMode mode) {
		return Op.create(path, EMPTY, this.acl, mode);
	}

	private <T> CompletableFuture<T> send(Consumer<CompletableFuture<T>> request) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		this.watchdog.watch(answer);
		try {
			request.accept(answer);
		}
		catch (RuntimeException ex) {
			answer.completeExceptionally(ex);
		}
		return answer;
	}

	private static String text(byte @Nullable [] data) {
		return (data != null) ? new String(data, StandardCharsets.UTF_8) : "";
	}

	private <T> void settle(CompletableFuture<T> answer, int code, Permission needed, String path, Supplier<T> result) {
		if (code == Code.OK.intValue()) {
			answer.complete(result.get());
		}
		else {
			answer.completeExceptionally(ZooKeeperFaults.of(Code.get(code), needed, path, this.user));
		}
	}

	/**
	 * Settle a transaction: the first result that is a fault of its own tells what was
	 * refused.
	 */
	private void settle(CompletableFuture<String> answer, int code, List<Op> operations,
			@Nullable List<OpResult> results) {
		Op failed = operations.get(0);
		for (int i = 0; results != null && i < results.size(); i++) {
			if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() == code) {
				failed = operations.get(i);
			}
		}
		Permission needed = (failed instanceof Op.Create) ? Permission.CREATE : Permission.DELETE;
		settle(answer, code, (failed instanceof Op.Check) ? Permission.READ : needed, failed.getPath(), () -> "");
	}

	/**
	 * A node that was made.
	 *
	 * @param path its path, with its number
	 * @param stat its state
	 */
	record Created(String path, Stat stat) {
	}

	/**
	 * What is in a node.
	 *
	 * @param text its data
	 * @param stat its state
	 */
	record Content(String text, Stat stat) {
	}

	/**
	 * What the ACL of a node allows. Nodes are made and deleted by permissions on their
	 * parents.
	 */
	enum Permission {

		READ(false), WRITE(false), CREATE(true), DELETE(true);

		private final boolean ofParent;

		Permission(boolean ofParent) {
			this.ofParent = ofParent;
		}

		String node(String path) {
			return this.ofParent ? path.substring(0, Math.max(1, path.lastIndexOf('/'))) : path;
		}

	}

}
