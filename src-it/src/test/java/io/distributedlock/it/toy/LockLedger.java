package io.distributedlock.it.toy;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the toy server. Each operation is one atomic step, since it runs under the
 * monitor of this object. Times are nanoseconds.
 */
final class LockLedger {

	private final Map<String, Entry> entries = new HashMap<>();

	private final Consumer<String> released;

	/**
	 * Create a ledger without locks.
	 * @param released receives the name of each lock that was released
	 */
	LockLedger(Consumer<String> released) {
		this.released = released;
	}

	/**
	 * Carry out a request.
	 * @param words the operation and its arguments
	 * @return the words of the answer
	 */
	synchronized List<String> execute(List<String> words) {
		return switch (words.get(0)) {
			case "acquire" -> acquire(words);
			case "renew" -> each(words, 4,
					(request) -> text(entry(request).renew(request.get(1), number(request, 2), number(request, 3))));
			case "release" -> List.of(text(end(words.get(1), words.get(2), number(words, 3), number(words, 4))));
			case "abandon" -> each(words, 2, (request) -> text(end(request.get(0), request.get(1), null, 0)));
			case "force" -> List.of(text(end(words.get(1), null, null, number(words, 2))));
			case "list" -> list(words.get(1));
			default -> throw new IllegalArgumentException("No such operation: " + words.get(0));
		};
	}

	private List<String> acquire(List<String> words) {
		Entry entry = this.entries.computeIfAbsent(words.get(1), (name) -> new Entry());
		String owner = words.get(2);
		long ttl = number(words, 3);
		Instant tick = words.get(5).isEmpty() ? null : Instant.parse(words.get(5));
		if (entry.isHeldBy(owner)) {
			entry.expiry = Math.max(entry.expiry, System.nanoTime() + ttl);
		}
		else if (tick != null && entry.tick != null && !tick.isAfter(entry.tick)) {
			return List.of("done", entry.tick.toString());
		}
		else if (entry.left() > 0) {
			return List.of("busy", String.valueOf(entry.left()));
		}
		else {
			entry.grant(owner, ttl, number(words, 4), words.get(6));
			entry.tick = (tick != null) ? tick : entry.tick;
		}
		return List.of("granted", String.valueOf(entry.first), String.valueOf(entry.last - entry.first + 1));
	}

	private Entry entry(List<String> request) {
		return this.entries.getOrDefault(request.get(0), new Entry());
	}

	/**
	 * End a lease and begin its cooldown.
	 * @param owner whose lease it has to be, or {@code null} for any
	 * @param token the first token that it has to have, or {@code null} for any
	 */
	private boolean end(String name, @Nullable String owner, @Nullable Long token, long cooldown) {
		Entry entry = this.entries.get(name);
		if (entry == null || entry.owner == null || entry.left() <= 0 || owner != null && !entry.isHeldBy(owner)
				|| token != null && token != entry.first) {
			return false;
		}
		entry.owner = null;
		entry.expiry = System.nanoTime() + cooldown;
		this.released.accept(name);
		return true;
	}

	private List<String> list(String prefix) {
		List<String> found = new ArrayList<>();
		this.entries.forEach((name, entry) -> {
			if (name.startsWith(prefix) && entry.owner != null && entry.left() > 0) {
				found.addAll(List.of(name, entry.instance, String.valueOf(entry.last),
						String.valueOf(System.nanoTime() - entry.since), String.valueOf(entry.left())));
			}
		});
		return found;
	}

	private static List<String> each(List<String> words, int size, Operation operation) {
		List<String> answers = new ArrayList<>();
		for (int i = 1; i < words.size(); i += size) {
			answers.add(operation.answer(words.subList(i, i + size)));
		}
		return answers;
	}

	private static long number(List<String> words, int index) {
		return Long.parseLong(words.get(index));
	}

	private static String text(boolean answer) {
		return String.valueOf(answer);
	}

	private interface Operation {

		String answer(List<String> request);

	}

	/**
	 * One lock: a lease if it has an owner, else perhaps a cooldown.
	 */
	private static final class Entry {

		private @Nullable String owner;

		private String instance = "";

		private long first;

		// So that tokens are above those of an earlier server.
		private long last = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());

		private @Nullable Instant tick;

		private long since;

		private long expiry = System.nanoTime();

		long left() {
			return this.expiry - System.nanoTime();
		}

		boolean isHeldBy(String owner) {
			return owner.equals(this.owner) && left() > 0;
		}

		void grant(String owner, long ttl, long span, String instance) {
			this.owner = owner;
			this.instance = instance;
			this.first = this.last + 1;
			this.last += span;
			this.since = System.nanoTime();
			this.expiry = this.since + ttl;
		}

		boolean renew(String owner, long token, long ttl) {
			boolean stands = isHeldBy(owner) && token == this.first;
			if (stands) {
				this.expiry = Math.max(this.expiry, System.nanoTime() + ttl);
			}
			return stands;
		}

	}

}
