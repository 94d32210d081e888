package io.distributedlock.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockMode;

/**
 * The value of an entry in the queue, for other clients and for administrators:
 * {@code <tokens>|<session TTL in seconds>|<milliseconds since 1970>|<instance>}. An
 * entry of a group has the permits before the instance, zero for a reader. A later form
 * begins with a character other than a digit.
 *
 * @param span the maximum number of tokens that its grant brings
 * @param sessionTtl the TTL of the session that it is attached to
 * @param sinceMillis when it was put there, by the wall clock of its JVM; for display
 * only
 * @param permits the number of permits that were requested, zero for a reader, and
 * {@value #COOLING} if the lease has ended and its cooldown runs; {@code null} for an
 * exclusive entry
 * @param instance the JVM
 */
record EtcdEntryValue(int span, Duration sessionTtl, long sinceMillis, @Nullable String permits, String instance) {

	private static final String COOLING = "c";

	private static final Pattern PERMITS = Pattern.compile("\\d{1,10}|" + COOLING);

	/**
	 * Return the value of a member of a group whose lease has ended and whose cooldown
	 * runs. It depends on no session. Versions that do not know this take its session for
	 * one with the shortest TTL.
	 */
	static EtcdEntryValue cooling(long sinceMillis) {
		return new EtcdEntryValue(1, Duration.ofSeconds(1), sinceMillis, COOLING, "");
	}

	boolean isCooling() {
		return COOLING.equals(this.permits);
	}

	/**
	 * Return how many members a group may have with this one.
	 */
	long allowedMembers(LockMode mode) {
		return (mode == LockMode.PERMITS && this.permits != null && !isCooling()) ? Long.parseLong(this.permits)
				: Long.MAX_VALUE;
	}

	ByteSequence toBytes() {
		return ByteSequence.from(this.span + "|" + this.sessionTtl.toSeconds() + "|" + this.sinceMillis + "|"
				+ ((this.permits != null) ? this.permits + "|" : "") + this.instance, StandardCharsets.UTF_8);
	}

	/**
	 * Parse the value of an entry of any kind.
	 * @return the value, or empty if the entry does not have a form that this version
	 * writes
	 */
	static Optional<EtcdEntryValue> of(KeyValue entry) {
		LockMode mode = EtcdKeys.modeOf(entry.getKey());
		if (mode == null) {
			return Optional.empty();
		}
		return (mode == LockMode.EXCLUSIVE) ? parse(entry.getValue()) : parseMember(entry.getValue());
	}

	/**
	 * Parse the value of an exclusive entry or a session.
	 * @return the value, or empty if it does not have the form that this version writes
	 */
	static Optional<EtcdEntryValue> parse(ByteSequence bytes) {
		String[] parts = bytes.toString(StandardCharsets.UTF_8).split("\\|", 4);
		return (parts.length < 4) ? Optional.empty() : parse(parts, null, parts[3]);
	}

	private static Optional<EtcdEntryValue> parseMember(ByteSequence bytes) {
		String[] parts = bytes.toString(StandardCharsets.UTF_8).split("\\|", 5);
		return (parts.length < 5 || !PERMITS.matcher(parts[3]).matches()) ? Optional.empty()
				: parse(parts, parts[3], parts[4]);
	}

	private static Optional<EtcdEntryValue> parse(String[] parts, @Nullable String permits, String instance) {
		try {
			EtcdEntryValue value = new EtcdEntryValue(Integer.parseInt(parts[0]),
					Duration.ofSeconds(Long.parseLong(parts[1])), Long.parseLong(parts[2]), permits, instance);
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
