package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Estimates a node's clock relative to the monotonic clock of this JVM. Each answer
 * bounds their difference: it lies between TIME − received and TIME − sent. Only two
 * readings that can't both be true are a jump.
 */
final class NodeClock {

	private static final long LEAST_DRIFT_NANOS = LockClock.driftAllowance(Duration.ZERO).toNanos();

	// Written under the monitor, read by every proposal.
	private volatile @Nullable Reading last;

	/**
	 * Record an answer.
	 * @param micros the node's TIME
	 * @param sentAt the monotonic time before the request was sent
	 * @param receivedAt the monotonic time after the answer arrived
	 * @return the jump of the clock, if it jumped
	 */
	synchronized Optional<Jump> read(long micros, long sentAt, long receivedAt) {
		// TIME is truncated to the microsecond.
		Reading next = new Reading(micros * 1000 - receivedAt, (micros + 1) * 1000 - sentAt, receivedAt);
		Reading known = this.last;
		if (known == null) {
			this.last = next;
			return Optional.empty();
		}
		Reading expected = known.widened(next.at());
		if (next.least() > expected.most() || next.most() < expected.least()) {
			this.last = next;
			return Optional.of(new Jump(next.least() - expected.most(), next.most() - expected.least()));
		}
		if (next.width() < expected.width()) {
			this.last = next;
		}
		return Optional.empty();
	}

	/**
	 * Forget all readings, because the clock of this JVM was wrong.
	 */
	synchronized void forget() {
		this.last = null;
	}

	/**
	 * Return the best estimate of the node's time minus the monotonic time in
	 * nanoseconds, or empty if there is no reading.
	 */
	Optional<Long> offset() {
		Reading reading = this.last;
		return (reading != null) ? Optional.of(reading.least() + reading.width() / 2) : Optional.empty();
	}

	/**
	 * A jump of a clock.
	 *
	 * @param least by how many nanoseconds at least
	 * @param most by how many at most
	 */
	record Jump(long least, long most) {

		boolean isLike(Jump other) {
			return this.least <= other.most && other.least <= this.most;
		}

		Duration size() {
			return Duration.ofNanos(this.least + (this.most - this.least) / 2);
		}

	}

	private record Reading(long least, long most, long at) {

		long width() {
			return this.most - this.least;
		}

		/**
		 * Return the bounds that still hold later, since clocks run at different speeds.
		 */
		Reading widened(long later) {
			// The drift allowance in plain numbers, since this runs for every answer.
			long drift = Math.max(0, later - this.at) / 100 + LEAST_DRIFT_NANOS;
			return new Reading(this.least - drift, this.most + drift, later);
		}

	}

}
