package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

import io.etcd.jetcd.ByteSequence;

/**
 * The value of an entry in the queue, for other clients and for administrators:
 * {@code <tokens>|<session TTL in seconds>|<milliseconds since 1970>|<instance>}. A later
 * form begins with a character other than a digit.
 *
 * @param span the maximum number of tokens that its grant brings
 * @param sessionTtl the TTL of the session that it is attached to
 * @param sinceMillis when it was put there, by the wall clock of its JVM; for display
 * only
 * @param instance the JVM
 */
record EtcdEntryValue(int span, Duration sessionTtl, long sinceMillis, String instance) {

	ByteSequence toBytes() {
		return ByteSequence.from(
				this.span + "|" + this.sessionTtl.toSeconds() + "|" + this.sinceMillis + "|" + this.instance,
				StandardCharsets.UTF_8);
	}

	/**
	 * Parse the value of an entry.
	 * @return the value, or empty if it does not have the form that this version writes
	 */
	static Optional<EtcdEntryValue> parse(ByteSequence bytes) {
		String[] parts = bytes.toString(StandardCharsets.UTF_8).split("\\|", 4);
		if (parts.length < 4) {
			return Optional.empty();
		}
		try {
			EtcdEntryValue value = new EtcdEntryValue(Integer.parseInt(parts[0]),
					Duration.ofSeconds(Long.parseLong(parts[1])), Long.parseLong(parts[2]), parts[3]);
			return value.isWithinBounds() ? Optional.of(value) : Optional.empty();
		}
		catch (NumberFormatException ex) {
			return Optional.empty();
		}
	}

	private boolean isWithinBounds() {
		return this.span >= 1 && this.span <= EtcdQueueEntry.TOKENS && !this.sessionTtl.isNegative()
				&& !this.sessionTtl.isZero() && this.sessionTtl.compareTo(EtcdLockSettings.MAX_SESSION_TTL) <= 0
				&& this.sinceMillis >= 0;
	}

}
