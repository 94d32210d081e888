package io.distributedlock.spi;

import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;

/**
 * A part of the locks that are held at a store.
 *
 * @param locks the locks, in an order that the store chooses
 * @param next where the next page begins, a text that only the store understands, or
 * {@code null} if this is the last page
 * @since 0.1.0
 */
public record LockPage(List<LockInfo> locks, @Nullable String next) {

	/**
	 * Create a page.
	 */
	public LockPage {
		locks = List.copyOf(locks);
	}

	/**
	 * Cut a page out of all locks, in the order of their keys. For stores that can't read
	 * a part of them.
	 * @param all all locks
	 * @param next the last key of the previous page, or {@code null} for the first page
	 * @param limit the greatest number of locks
	 * @return the page
	 */
	public static LockPage of(List<LockInfo> all, @Nullable String next, int limit) {
		List<LockInfo> behind = all.stream()
			.filter((lock) -> next == null || lock.key().compareTo(next) > 0)
			.sorted(Comparator.comparing(LockInfo::key))
			.toList();
		boolean last = behind.size() <= limit;
		List<LockInfo> page = last ? behind : behind.subList(0, limit);
		return new LockPage(page, last ? null : page.get(limit - 1).key());
	}

}
