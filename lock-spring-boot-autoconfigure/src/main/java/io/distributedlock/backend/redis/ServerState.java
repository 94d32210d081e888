package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.LockClock;

/**
 * State of an incarnation of the server, which grants locks or is under quarantine. A
 * client may end a quarantine once it has seen this quarantine's own name for the longest
 * TTL and a margin, on its own monotonic clock. By then all leases that another
 * incarnation has granted have run out or were restored.
 */
sealed interface ServerState {

	/**
	 * Form in which the server stores its state.
	 */
	Pattern LITERAL = Pattern.compile("(ok|q):[0-9a-f-]+:(\\d+)(?::.+)?");

	/**
	 * Return the state as the server stores it. Scripts compare it with the stored one.
	 */
	String literal();

	/**
	 * Read a state.
	 * @param literal the state as the server stores it
	 * @param before the state that this client knew before, or {@code null} before the
	 * first answer
	 * @param maxTtl the longest TTL
	 * @param clock the clock of this JVM
	 * @return the state that this client knows now
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
	 * Return the state of a quarantine that this client has seen for long enough.
	 * @param state the known state, or {@code null} before the first answer
	 * @param clock the clock of this JVM
	 * @return the state as the server stores it, or {@code null} if there is no such
	 * quarantine
	 */
	static @Nullable String over(@Nullable ServerState state, LockClock clock) {
		return (state instanceof Quarantined quarantined && quarantined.rest(clock).isZero()) ? quarantined.literal()
				: null;
	}

	/**
	 * Return how long a client has to see a quarantine before it may end it.
	 * @param maxTtl the longest TTL
	 * @return the longest TTL and a margin for clocks of different speed
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
