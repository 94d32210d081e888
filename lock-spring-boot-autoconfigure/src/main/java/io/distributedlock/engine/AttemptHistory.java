package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.AcquisitionEvidence;
import io.distributedlock.spi.LockClock;

/**
 * Remembers the latest grant of the store, unless an attempt has failed since.
 */
final class AttemptHistory {

	/**
	 * How old the remembered grant may be before the next one replaces it, so that most
	 * grants write nothing.
	 */
	private static final long RENEWED_AFTER = Duration.ofMillis(500).toNanos();

	private final LockClock clock;

	// Replaced by answers without a lock: if two race, either may win.
	private volatile @Nullable Grant latest;

	AttemptHistory(LockClock clock) {
		this.clock = clock;
	}

	void granted(long sentAt) {
		long now = this.clock.nanoTime();
		Grant known = this.latest;
		if (known == null || now - known.at() >= RENEWED_AFTER) {
			this.latest = new Grant(now, now - sentAt);
		}
	}

	void failed() {
		this.latest = null;
	}

	Optional<AcquisitionEvidence> evidence() {
		Grant known = this.latest;
		if (known == null) {
			return Optional.empty();
		}
		return Optional.of(new AcquisitionEvidence(Duration.ofNanos(this.clock.nanoTime() - known.at()),
				Duration.ofNanos(known.roundTrip())));
	}

	/**
	 * A grant.
	 *
	 * @param at when it arrived
	 * @param roundTrip the time from the request to the grant
	 */
	private record Grant(long at, long roundTrip) {
	}

}
