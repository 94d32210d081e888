package io.distributedlock.backend.zookeeper;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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
 * Sends the requests of one session and returns the answers as stages. Requests are sent
 * without waiting for earlier answers and are served in the order in which they were
 * sent. So requests that are sent together take one round trip.
 * <p>
 * Stages are completed on the event thread of the client, in the order of the requests,
 * and exceptionally with a {@link KeeperException}, or with a
 * {@link io.distributedlock.LockRefusedException} that is caused by one.
 *
 * @param handle the client
 * @param acl the access rights to nodes that are created
 * @param user the user of the requests, for messages; {@code null} if it is not known
 * @param watchdog drops connections that are silent
 */
record ZooKeeperRequests(ZooKeeper handle, List<ACL> acl, @Nullable String user, ConnectionWatchdog watchdog) {

	private static final byte[] EMPTY = {};

	/**
	 * Create a node.
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
	 * List the ephemeral nodes of this session, at all levels below a path. The server
	 * answers with its own paths, which begin with the chroot of the client.
	 */
	CompletableFuture<List<String>> getEphemerals(String path) {
		return send((answer) -> this.handle.getEphemerals(path,
				(code, context, paths) -> settle(answer, code, Permission.READ, path, () -> paths), null));
	}

	/**
	 * Let the server of this session catch up with the leader.
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
	 * Watch a node, which must exist. This does not use {@code exists}, which would leave
	 * the watch behind if the node is missing.
	 */
	CompletableFuture<Stat> watch(String path, Watcher watcher) {
		return send((answer) -> this.handle.getData(path, watcher,
				(code, asked, context, data, stat) -> settle(answer, code, Permission.READ, asked, () -> stat), null));
	}

	/**
	 * End the watches of this session on a node. Only this request makes the server
	 * forget them. The request for a single watcher merely checks whether there is one.
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
	 * Execute all operations in one transaction.
	 */
	CompletableFuture<String> multi(List<Op> operations) {
		return multi(operations, (results) -> "");
	}

	private <T> CompletableFuture<T> multi(List<Op> operations, Function<List<OpResult>, T> result) {
		return send((answer) -> this.handle.multi(operations,
				(code, asked, context, results) -> settle(answer, code, operations, results, result), null));
	}

	/**
	 * Create nodes in one transaction. The answer shows no state of nodes that a
	 * transaction creates, so this one also writes a node that exists. The state of that
	 * node then shows the number and the time of the transaction.
	 * @param written the node, which has no data
	 * @return the nodes, with a state that has the transaction and the time of their
	 * creation
	 */
	CompletableFuture<List<Created>> createAll(List<String> paths, byte[] data, CreateMode mode, String written) {
		List<Op> all = new ArrayList<>();
		paths.forEach((path) -> all.add(Op.create(path, data, this.acl, mode)));
		all.add(Op.setData(written, EMPTY, -1));
		return multi(all, (results) -> {
			Stat last = ((OpResult.SetDataResult) results.get(paths.size())).getStat();
			Stat stat = new Stat();
			stat.setCzxid(last.getMzxid());
			stat.setCtime(last.getMtime());
			return IntStream.range(0, paths.size())
				.mapToObj((i) -> new Created(made(paths.get(i), (OpResult.CreateResult) results.get(i)), stat))
				.toList();
		});
	}

	/**
	 * Return the path of a node that a transaction has created. The client does not
	 * remove its chroot from the paths in the answer.
	 */
	private static String made(String requested, OpResult.CreateResult result) {
		return requested.substring(0, requested.lastIndexOf('/'))
				+ result.getPath().substring(result.getPath().lastIndexOf('/'));
	}

	/**
	 * Delete one node and create a persistent one, in one transaction.
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
	 * Settle a transaction. The result with the same code as the transaction shows which
	 * operation was refused.
	 */
	private <T> void settle(CompletableFuture<T> answer, int code, List<Op> operations,
			@Nullable List<OpResult> results, Function<List<OpResult>, T> result) {
		Op failed = operations.get(0);
		for (int i = 0; results != null && i < results.size(); i++) {
			if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() == code) {
				failed = operations.get(i);
			}
		}
		settle(answer, code, neededFor(failed), failed.getPath(),
				() -> result.apply((results != null) ? results : List.of()));
	}

	private static Permission neededFor(Op operation) {
		if (operation instanceof Op.Create) {
			return Permission.CREATE;
		}
		if (operation instanceof Op.SetData) {
			return Permission.WRITE;
		}
		return (operation instanceof Op.Check) ? Permission.READ : Permission.DELETE;
	}

	/**
	 * A node that was created.
	 *
	 * @param path its path, with its number
	 * @param stat its state
	 */
	record Created(String path, Stat stat) {
	}

	/**
	 * The content of a node.
	 *
	 * @param text its data
	 * @param stat its state
	 */
	record Content(String text, Stat stat) {
	}

	/**
	 * A permission in the ACL of a node. To create or delete a node, the permission on
	 * its parent is needed.
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
