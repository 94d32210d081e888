package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

import io.etcd.jetcd.ByteSequence;

/**
 * What is written on an entry in the queue, for others and for people who look:
 * {@code <tokens>|<session ttl in seconds>|<milliseconds since 1970>|<instance>}. A later
 * form begins with something else than a number.
 *
 * @param span how many tokens its grant brings at most
 * @param sessionTtl the ttl of the session that it is attached to
 * @param sinceMillis when it was put there, by the wall clock of its JVM; only shown
 * @param instance the JVM
 */
record EtcdEntryValue(int span, Duration sessionTtl, long sinceMillis, String instance) {

	ByteSequence toBytes() {
		return ByteSequence.from(
				this.span + "|" + this.sessionTtl.toSeconds() + "|" + this.sinceMillis + "|" + this.instance,
				StandardCharsets.UTF_8);
	}

	/**
	 * Read what is written on an entry.
	 * @return the value, or empty if it has not the form that this version writes
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
