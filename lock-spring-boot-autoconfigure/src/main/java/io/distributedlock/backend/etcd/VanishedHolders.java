package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.spi.LockClock;

/**
 * Holders whose entries are gone together with their sessions. They may not know yet, so
 * a waiter counts them as if their entries still existed, until their leases have ended
 * by their own clocks. Not safe for use by several threads.
 */
final class VanishedHolders {

	private final LockClock clock;

	private final List<SeenPredecessor> holders = new ArrayList<>();

	VanishedHolders(LockClock clock) {
		this.clock = clock;
	}

	void add(SeenPredecessor holder) {
		this.holders.add(holder);
	}

	void clear() {
		this.holders.clear();
	}

	/**
	 * Forget entries that only waited, since an earlier one that excludes them still
	 * exists.
	 */
	void forgetBehind(List<EtcdPredecessor> standing) {
		this.holders.removeIf((holder) -> standing.stream()
			.anyMatch((entry) -> entry.mode() != null && entry.revision() < holder.predecessor().revision()
					&& entry.excludes(holder.predecessor())));
	}

	/**
	 * Return how long an entry has to wait for one of these holders at least.
	 * @param mode its mode
	 * @param ahead the entries before it that still exist
	 */
	Duration grace(LockMode mode, EtcdQueueAhead ahead) {
		long now = this.clock.nanoTime();
		this.holders.removeIf((holder) -> holder.reliesUntil() - now <= 0);
		boolean excluded = this.holders.stream()
			.anyMatch((holder) -> mode != LockMode.PERMITS || holder.predecessor().mode() != mode);
		if (!excluded && ahead.count() + this.holders.size() <= ahead.allowed()) {
			return Duration.ZERO;
		}
		return this.holders.stream()
			.map((holder) -> Duration.ofNanos(holder.reliesUntil() - now))
			.min(Duration::compareTo)
			.orElse(Duration.ZERO);
	}

}
