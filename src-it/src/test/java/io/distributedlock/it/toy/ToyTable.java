package io.distributedlock.it.toy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the server. Each method is one atomic step, and all times are nanoseconds
 * of the server's clock. A name is never forgotten, because its tokens and its ticks have
 * to keep growing.
 */
final class ToyTable {

	private final Map<String, Entry> entries = new HashMap<>();

	/**
	 * Grant a lock, unless the tick has run or the lock is taken. A repeated request gets
	 * the same grant, which lasts at least for its TTL from now.
	 * @return the words of the answer
	 */
	synchronized List<?> grant(String name, String owner, String instance, long ttl, int span, @Nullable Instant tick) {
		Entry entry = this.entries.computeIfAbsent(name, (absent) -> new Entry());
		long now = System.nanoTime();
		if (!entry.isHeld(now) || !owner.equals(entry.owner)) {
			if (tick != null && entry.tick != null && !tick.isAfter(entry.tick)) {
				return List.of("DONE", entry.tick);
			}
			if (entry.rest(now) > 0) {
				return List.of("BUSY", entry.rest(now));
			}
			entry.hold(owner, instance, span, now);
			entry.tick = (tick != null) ? tick : entry.tick;
		}
		entry.keepFor(ttl, now);
		return List.of("GRANTED", entry.token, entry.span);
	}

	synchronized boolean renew(String name, String owner, long token, long ttl) {
		return change(name, (entry) -> entry.isGrant(owner, token), (entry, now) -> entry.keepFor(ttl, now));
	}

	synchronized boolean release(String name, String owner, long token, long cooldown) {
		return change(name, (entry) -> entry.isGrant(owner, token), (entry, now) -> entry.free(cooldown, now));
	}

	synchronized boolean abandon(String name, String owner) {
		return change(name, (entry) -> owner.equals(entry.owner), (entry, now) -> entry.free(0, now));
	}

	synchronized boolean forceRelease(String name, long cooldown) {
		return change(name, (entry) -> true, (entry, now) -> entry.free(cooldown, now));
	}

	/**
	 * Change a lock if it is held and a condition is met.
	 * @return whether it was changed
	 */
	private boolean change(String name, Predicate<Entry> condition, ObjLongConsumer<Entry> change) {
		long now = System.nanoTime();
		Entry entry = this.entries.get(name);
		boolean held = entry != null && entry.isHeld(now) && condition.test(entry);
		if (held) {
			change.accept(entry, now);
		}
		return held;
	}

	/**
	 * Describe the locks that are held.
	 * @return five words for each lock: its name, the instance that holds it, its last
	 * token, the time since the grant and the time that is left
	 */
	synchronized List<?> describe(Predicate<String> names) {
		long now = System.nanoTime();
		List<Object> words = new ArrayList<>();
		this.entries.forEach((name, entry) -> {
			if (names.test(name) && entry.isHeld(now)) {
				words.addAll(List.of(name, entry.instance, entry.token + entry.span - 1, now - entry.grantedAt,
						entry.rest(now)));
			}
		});
		return words;
	}

	/**
	 * One lock.
	 */
	private static final class Entry {

		// Null if the lock is not held, or a cooldown runs.
		private @Nullable String owner;

		private String instance = "";

		// The tokens of the latest grant. A server that has lost its data begins above
		// the earlier tokens.
		private long token = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());

		private int span;

		private long grantedAt;

		// When the lease or the cooldown ends.
		private long end = System.nanoTime();

		private @Nullable Instant tick;

		private long rest(long now) {
			return this.end - now;
		}

		private boolean isHeld(long now) {
			return this.owner != null && rest(now) > 0;
		}

		private boolean isGrant(String candidate, long candidateToken) {
			return candidate.equals(this.owner) && this.token == candidateToken;
		}

		private void hold(String newOwner, String newInstance, int newSpan, long now) {
			this.owner = newOwner;
			this.instance = newInstance;
			this.token += this.span;
			this.span = newSpan;
			this.grantedAt = now;
		}

		private void keepFor(long ttl, long now) {
			this.end = now + Math.max(ttl, rest(now));
		}

		private void free(long cooldown, long now) {
			this.owner = null;
			this.end = now + cooldown;
		}

	}

}
