package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.ManyAnswers;
import io.distributedlock.backend.session.SessionEntry;
import io.distributedlock.backend.zookeeper.LockHolders.NodeData;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockPage;

/**
 * Shows locks to administrators, after the server has caught up with the leader.
 *
 * @param paths the nodes of locks
 * @param holders determines their holders
 * @param requests repeats requests
 */
record ZooKeeperInspection(LockPaths paths, LockHolders holders, RepeatedRequests requests) {

	/**
	 * The number of locks that are read in one flush.
	 */
	private static final int FLUSH = 200;

	CompletionStage<Optional<LockInfo>> find(String key) {
		return this.requests.ask((session) -> {
			session.requests().sync(this.paths.lock(key));
			// The startup of an application calls this, and fails if locks can't be
			// obtained.
			return session.heartbeat()
				.begun()
				.thenCombine(describe(session, key), (begun, found) -> found.stream().findFirst());
		});
	}

	/**
	 * List locks in the order of their keys. The server returns the names of all of them
	 * at once; only those of the page are looked at.
	 */
	CompletionStage<LockPage> list(@Nullable String next, int limit) {
		String root = this.paths.root();
		return this.requests.ask((session) -> {
			session.requests().sync(root);
			return ZooKeeperFaults.orElse(session.requests().getChildren(root), List.of())
				.thenApply((names) -> names.stream()
					.flatMap((name) -> this.paths.key(name).stream())
					.filter((key) -> next == null || key.compareTo(next) > 0)
					.sorted()
					.toList())
				.thenCompose((keys) -> page(session, keys, limit, new ArrayList<>()));
		});
	}

	/**
	 * Read a page.
	 * @param limit the greatest number of keys that are still to be added
	 * @param found the holders that were found so far
	 */
	private CompletableFuture<LockPage> page(ZooKeeperSession session, List<String> keys, int limit,
			List<LockInfo> found) {
		int number = Math.min(Math.min(FLUSH, limit), keys.size());
		return describeIfKnown(session, keys.subList(0, number)).thenCompose((locks) -> {
			locks.forEach(found::addAll);
			if (number == keys.size()) {
				return CompletableFuture.completedFuture(new LockPage(found, null));
			}
			int left = limit - (int) locks.stream().filter((holders) -> !holders.isEmpty()).count();
			return (left > 0) ? page(session, keys.subList(number, keys.size()), left, found)
					: CompletableFuture.completedFuture(new LockPage(found, keys.get(number - 1)));
		});
	}

	private CompletableFuture<List<List<LockInfo>>> describeIfKnown(ZooKeeperSession session, List<String> keys) {
		return ManyAnswers.join(keys.stream().map((key) -> describeIfKnown(session, key)));
	}

	/**
	 * Leave out a lock whose holder this version can't determine, so that the other locks
	 * are still shown.
	 */
	private CompletableFuture<List<LockInfo>> describeIfKnown(ZooKeeperSession session, String key) {
		return describe(session, key).exceptionallyCompose((fault) -> {
			Throwable cause = CompletionCauses.unwrap(fault);
			return (cause instanceof LockUnavailableException && !(cause instanceof LockRefusedException))
					? CompletableFuture.completedFuture(List.of()) : CompletableFuture.failedFuture(cause);
		});
	}

	private CompletableFuture<List<LockInfo>> describe(ZooKeeperSession session, String key) {
		return this.holders.find(session, key).thenCompose((candidates) -> {
			if (candidates.nodes().isEmpty()) {
				return CompletableFuture.completedFuture(List.of());
			}
			// If all nodes are gone by now, another client may have the lock.
			return this.holders.read(session, key, candidates.nodes())
				.thenCompose((read) -> read.isEmpty() ? describe(session, key) : CompletableFuture.completedFuture(
						candidates.holders(read).stream().map((data) -> describe(session, key, data)).toList()));
		});
	}

	private LockInfo describe(ZooKeeperSession session, String key, NodeData data) {
		Stat stat = data.content().stat();
		return new LockInfo(key, data.instanceId(), data.node().mode(),
				SessionEntry.firstToken(stat.getCzxid()) + data.span() - 1,
				Duration.ofMillis(session.heartbeat().storeMillis() - stat.getCtime()), session.timeout());
	}

}
