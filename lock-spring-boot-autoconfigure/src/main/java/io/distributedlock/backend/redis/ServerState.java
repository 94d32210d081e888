package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.LockClock;

/**
 * Whether a server grants locks: its incarnation grants them, or is under quarantine. A
 * quarantine is over for a client that has seen its very name for the longest ttl and a
 * margin, on the client's own monotonic clock: by then whatever another incarnation has
 * granted has run out, or was put back.
 */
sealed interface ServerState {

	/**
	 * How a server keeps its state.
	 */
	Pattern LITERAL = Pattern.compile("(ok|q):[0-9a-f-]+:(\\d+)(?::.+)?");

	/**
	 * Return the state as the server keeps it, which scripts are to find.
	 */
	String literal();

	/**
	 * Read a state.
	 * @param literal the state as the server keeps it
	 * @param before what this client knew before, or {@code null} before the first answer
	 * @param maxTtl the longest ttl
	 * @param clock the clock of this JVM
	 * @return what it knows now
	 */
	static ServerState read(String literal, @Nullable ServerState before, Duration maxTtl, LockClock clock) {
		Matcher matcher = LITERAL.matcher(literal);
		if (!matcher.matches()) {
			throw new LockRefusedException(
					"The state of the Redis of the locks is '" + literal + "', which this version does not understand",
					null);
		}
		if (!matcher.group(2).equals(String.valueOf(maxTtl.toMillis()))) {
			throw new LockRefusedException("The Redis of the locks is used with a lock.redis.max-ttl of "
					+ matcher.group(2) + " ms, and here it is " + maxTtl.toMillis()
					+ " ms; it must be the same everywhere. To change it, stop all processes and delete the state key",
					null);
		}
		if (matcher.group(1).equals("ok")) {
			return new Granting(literal);
		}
		return (before instanceof Quarantined quarantined && quarantined.literal().equals(literal)) ? quarantined
				: new Quarantined(literal, clock.nanoTime() + quarantine(maxTtl).toNanos());
	}

	/**
	 * Return the state of a quarantine that was seen for long enough.
	 * @param state what is known, or {@code null} before the first answer
	 * @param clock the clock of this JVM
	 * @return the state as the server keeps it, or {@code null}
	 */
	static @Nullable String over(@Nullable ServerState state, LockClock clock) {
		return (state instanceof Quarantined quarantined && quarantined.rest(clock).isZero()) ? quarantined.literal()
				: null;
	}

	/**
	 * Return how long a quarantine has to be seen.
	 * @param maxTtl the longest ttl
	 * @return it and a margin for clocks of different speed
	 */
	static Duration quarantine(Duration maxTtl) {
		return maxTtl.plus(maxTtl.dividedBy(50)).plusMillis(100);
	}

	/**
	 * The server grants locks.
	 *
	 * @param literal its state
	 */
	record Granting(String literal) implements ServerState {

	}

	/**
	 * The server grants no locks yet.
	 *
	 * @param literal its state
	 * @param endsAt when this client may end the quarantine, on the monotonic clock
	 */
	record Quarantined(String literal, long endsAt) implements ServerState {

		Duration rest(LockClock clock) {
			return Duration.ofNanos(Math.max(0, this.endsAt - clock.nanoTime()));
		}

	}

}
