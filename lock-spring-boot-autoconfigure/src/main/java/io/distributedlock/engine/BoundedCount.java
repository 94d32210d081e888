package io.distributedlock.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what one instance has, in all and by name, up to a limit for each. Nothing is
 * counted that would exceed a limit, not even for a moment. So callers never refuse each
 * other below a limit.
 */
final class BoundedCount {

	private final int max;

	private final int maxPerName;

	// Changed under the monitor if names are limited, and by compare and set otherwise.
	private final AtomicInteger all = new AtomicInteger();

	// Guarded by the monitor. Empty unless names are limited; counts of zero are removed.
	private final Map<String, Integer> byName = new HashMap<>();

	BoundedCount(int max, int maxPerName) {
		this.max = max;
		this.maxPerName = maxPerName;
	}

	private boolean limitsNames() {
		return this.maxPerName != LimitSettings.UNLIMITED;
	}

	/**
	 * Return which limit is reached at this moment.
	 */
	Reached reached(String name) {
		if (this.all.get() >= this.max) {
			return Reached.ALL;
		}
		if (!limitsNames()) {
			return Reached.NONE;
		}
		synchronized (this) {
			return (this.byName.getOrDefault(name, 0) >= this.maxPerName) ? Reached.NAME : Reached.NONE;
		}
	}

	/**
	 * Take one, to be given back by {@link #giveBack}.
	 * @return the limit that is reached, and then nothing was taken
	 */
	Reached take(String name) {
		if (!limitsNames()) {
			return takeOfAll() ? Reached.NONE : Reached.ALL;
		}
		synchronized (this) {
			Reached reached = reached(name);
			if (reached == Reached.NONE) {
				this.all.incrementAndGet();
				this.byName.merge(name, 1, Integer::sum);
			}
			return reached;
		}
	}

	private boolean takeOfAll() {
		while (true) {
			int now = this.all.get();
			if (now >= this.max) {
				return false;
			}
			if (this.all.compareAndSet(now, now + 1)) {
				return true;
			}
		}
	}

	void giveBack(String name) {
		if (!limitsNames()) {
			this.all.decrementAndGet();
			return;
		}
		synchronized (this) {
			this.all.decrementAndGet();
			this.byName.computeIfPresent(name, (key, now) -> (now > 1) ? now - 1 : null);
		}
	}

	int count() {
		return this.all.get();
	}

	/**
	 * Return whether nothing is counted, under no name either.
	 */
	synchronized boolean isZero() {
		return this.all.get() == 0 && this.byName.isEmpty();
	}

	/**
	 * The limit that was reached.
	 */
	enum Reached {

		NONE, ALL, NAME

	}

}
