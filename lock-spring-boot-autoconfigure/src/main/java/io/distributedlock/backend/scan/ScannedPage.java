package io.distributedlock.backend.scan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockInfo;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.spi.LockPage;

/**
 * Reads one page of locks, each with all of its holders. Each step asks a server to look
 * at about as many keys as the page has room for. A page ends early if the time is over,
 * since servers may have any number of keys that are no locks.
 * <p>
 * The steps of a page follow each other, each one after the stage of the step before, so
 * that at any time one thread changes the locks found.
 *
 * @since 0.1.0
 */
public final class ScannedPage {

	/**
	 * The greatest number of keys that a server is asked to look at in one step, because
	 * it does nothing else meanwhile.
	 */
	private static final int MOST_KEYS = 1000;

	private final KeyScan scan;

	private final ScanPosition start;

	private final int limit;

	private final CallDeadline deadline;

	// By key: one for each of its holders.
	private final Map<String, List<LockInfo>> found = new LinkedHashMap<>();

	private ScannedPage(KeyScan scan, ScanPosition start, int limit, CallDeadline deadline) {
		this.scan = scan;
		this.start = start;
		this.limit = limit;
		this.deadline = deadline;
	}

	/**
	 * Read a page.
	 * @param scan walks the servers
	 * @param next the value from the previous page, or {@code null} for the first one
	 * @param limit the greatest number of keys
	 * @param deadline the time after which no step but the first begins
	 * @return the page; fails with an {@link InvalidLockRequestException} if {@code next}
	 * is from no page
	 */
	public static CompletionStage<LockPage> read(KeyScan scan, @Nullable String next, int limit,
			CallDeadline deadline) {
		try {
			ScanPosition start = ScanPosition.parse(next);
			return new ScannedPage(scan, start, limit, deadline).readOn(start, 0);
		}
		catch (InvalidLockRequestException ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	/**
	 * Read on.
	 * @param from where
	 * @param least the number of keys that the next step looks at, at least
	 */
	private CompletionStage<LockPage> readOn(ScanPosition from, int least) {
		if (from.server() >= this.scan.servers()) {
			return page(null);
		}
		int room = this.limit - this.found.size();
		// Every page makes a step, so that a slow server is walked, too.
		if (room == 0 || (this.deadline.isPassed() && !from.equals(this.start))) {
			return page(from);
		}
		if (!from.pending().isEmpty()) {
			return describe(from, Math.min(room, from.pending().size()));
		}
		String cursor = from.cursor();
		return (cursor != null) ? step(from, cursor, Math.min(MOST_KEYS, Math.max(room, least)))
				: readOn(from.nextServer(), 0);
	}

	private CompletionStage<LockPage> describe(ScanPosition from, int number) {
		return this.scan.describe(from.server(), from.pending().subList(0, number)).thenCompose((locks) -> {
			this.found.putAll(locks.stream()
				.collect(Collectors.groupingBy(LockInfo::key, LinkedHashMap::new, Collectors.toList())));
			return readOn(from.without(number), 0);
		});
	}

	/**
	 * Make one step. The next one looks at twice as many keys if this one finds no lock.
	 */
	private CompletionStage<LockPage> step(ScanPosition from, String cursor, int count) {
		return this.scan.scan(from.server(), cursor, count)
			.thenCompose((batch) -> readOn(from.after(batch), batch.keys().isEmpty() ? 2 * count : 0));
	}

	private CompletionStage<LockPage> page(@Nullable ScanPosition next) {
		return CompletableFuture.completedStage(new LockPage(
				this.found.values().stream().flatMap(List::stream).toList(), (next != null) ? next.toString() : null));
	}

}
