package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.spi.LockClock;

/**
 * The containers that were there a short time ago. The server reaps one when it finds it
 * empty, once a minute: one that was used within the last seconds is most probably there,
 * and nothing is lost but a round trip where it is not.
 */
final class KnownContainers {

	private static final long MEMORY = Duration.ofSeconds(5).toNanos();

	private static final int MOST = 10_000;

	private final LockClock clock;

	// Guarded by the monitor. The one used longest ago comes first.
	private final Map<String, Long> usedAt = new LinkedHashMap<>(16, 0.75F, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
			return size() > MOST || KnownContainers.this.clock.nanoTime() - eldest.getValue() > MEMORY;
		}

	};

	KnownContainers(LockClock clock) {
		this.clock = clock;
	}

	synchronized boolean isKnown(String path) {
		Long used = this.usedAt.get(path);
		return used != null && this.clock.nanoTime() - used <= MEMORY;
	}

	synchronized void add(String path) {
		this.usedAt.put(path, this.clock.nanoTime());
	}

	synchronized void forget(String path) {
		this.usedAt.remove(path);
	}

}
