package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.etcd.jetcd.ByteSequence;

/**
 * What is written on a place in line, for others and for people who look:
 * {@code <tokens>|<session ttl in seconds>|<milliseconds since 1970>|<instance>}.
 *
 * @param span how many tokens its grant brings at most
 * @param sessionTtl the ttl of the session that it is attached to
 * @param sinceMillis when it was put there, by the wall clock of its JVM; only shown
 * @param instance the JVM
 */
record PlaceValue(int span, Duration sessionTtl, long sinceMillis, String instance) {

	ByteSequence toBytes() {
		return ByteSequence.from(
				this.span + "|" + this.sessionTtl.toSeconds() + "|" + this.sinceMillis + "|" + this.instance,
				StandardCharsets.UTF_8);
	}

	/**
	 * Read what is written on a place; what others have put there is read as far as it
	 * goes.
	 */
	static PlaceValue parse(ByteSequence bytes) {
		String text = bytes.toString(StandardCharsets.UTF_8);
		String[] parts = text.split("\\|", 4);
		try {
			return new PlaceValue(Integer.parseInt(parts[0]), Duration.ofSeconds(Long.parseLong(parts[1])),
					Long.parseLong(parts[2]), parts[3]);
		}
		catch (NumberFormatException | ArrayIndexOutOfBoundsException ex) {
			return new PlaceValue(1, EtcdLockSettings.DEFAULT_SESSION_TTL, 0, text.isEmpty() ? "unknown" : text);
		}
	}

}
