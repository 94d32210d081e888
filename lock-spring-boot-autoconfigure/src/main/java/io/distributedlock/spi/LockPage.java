package io.distributedlock.spi;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
	 * @param limit the greatest number of keys
	 * @return the page, with all holders of its keys
	 */
	public static LockPage of(List<LockInfo> all, @Nullable String next, int limit) {
		List<LockInfo> behind = all.stream()
			.filter((lock) -> next == null || lock.key().compareTo(next) > 0)
			.sorted(Comparator.comparing(LockInfo::key))
			.toList();
		List<String> keys = behind.stream().map(LockInfo::key).distinct().limit(limit).toList();
		Set<String> shown = new HashSet<>(keys);
		List<LockInfo> page = behind.stream().filter((lock) -> shown.contains(lock.key())).toList();
		return new LockPage(page, (page.size() < behind.size()) ? keys.get(limit - 1) : null);
	}

}
