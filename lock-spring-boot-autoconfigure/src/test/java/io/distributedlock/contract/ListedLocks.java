package io.distributedlock.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.spi.BackendConnection;

/**
 * Reads all pages of locks.
 */
public final class ListedLocks {

	private static final int PAGE = 100;

	private ListedLocks() {
	}

	/**
	 * List all locks of a store.
	 * @param store the store
	 * @return the locks, as its pages show them
	 */
	public static CompletionStage<List<LockInfo>> all(BackendConnection store) {
		return all(store, PAGE);
	}

	/**
	 * List all locks of a store.
	 * @param store the store
	 * @param limit the greatest number of locks on a page
	 * @return the locks, as its pages show them
	 */
	public static CompletionStage<List<LockInfo>> all(BackendConnection store, int limit) {
		return read(store, null, limit, new ArrayList<>());
	}

	private static CompletionStage<List<LockInfo>> read(BackendConnection store, @Nullable String next, int limit,
			List<LockInfo> found) {
		return store.list(next, limit).thenCompose((page) -> {
			found.addAll(page.locks());
			return (page.next() != null) ? read(store, page.next(), limit, found)
					: CompletableFuture.completedStage(found);
		});
	}

}
