package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.LockClock;

/**
 * What this client knows of the server: nothing yet, that its incarnation grants locks,
 * or that it is under quarantine. A quarantine is over for a client that has seen its
 * very name for the longest ttl and a margin, on the client's own monotonic clock: by
 * then whatever another incarnation has granted has run out, or was put back.
 */
final class KnownServerState {

	private static final Pattern STATE = Pattern.compile("(ok|q):[0-9a-f-]+:(\\d+)(?::.+)?");

	private final Duration maxTtl;

	private final LockClock clock;

	// Guarded by this object's monitor.
	private @Nullable ServerState known;

	/**
	 * Create what knows nothing yet.
	 * @param maxTtl the longest ttl
	 * @param clock the clock of this JVM
	 */
	KnownServerState(Duration maxTtl, LockClock clock) {
		this.maxTtl = maxTtl;
		this.clock = clock;
	}

	/**
	 * Return how long a quarantine has to be seen.
	 * @param maxTtl the longest ttl
	 * @return it and a margin for clocks of different speed
	 */
	static Duration length(Duration maxTtl) {
		return maxTtl.plus(maxTtl.dividedBy(50)).plusMillis(100);
	}

	/**
	 * Return what is known.
	 * @return the state, or {@code null} before the first answer
	 */
	synchronized @Nullable ServerState known() {
		return this.known;
	}

	/**
	 * Take the server's word. Answers come in the order in which they were given.
	 * @param state the state that it has now
	 * @return what is known now
	 */
	synchronized ServerState read(String state) {
		Matcher matcher = STATE.matcher(state);
		if (!matcher.matches()) {
			throw new LockRefusedException(
					"The state of the Redis of the locks is '" + state + "', which this version does not understand",
					null);
		}
		if (!matcher.group(2).equals(String.valueOf(this.maxTtl.toMillis()))) {
			throw new LockRefusedException("The Redis of the locks is used with a lock.redis.max-ttl of "
					+ matcher.group(2) + " ms, and here it is " + this.maxTtl.toMillis()
					+ " ms; it must be the same everywhere. To change it, stop all processes and delete the state key",
					null);
		}
		if (matcher.group(1).equals("ok")) {
			this.known = new ServerState.Granting(state);
		}
		else if (!(this.known instanceof ServerState.Quarantined quarantined) || !quarantined.literal().equals(state)) {
			this.known = new ServerState.Quarantined(state, this.clock.nanoTime() + length(this.maxTtl).toNanos());
		}
		return this.known;
	}

	/**
	 * Return the state of a quarantine that was seen for long enough.
	 * @return the state, or {@code null}
	 */
	synchronized @Nullable String over() {
		return (this.known instanceof ServerState.Quarantined quarantined
				&& quarantined.endsAt() - this.clock.nanoTime() <= 0) ? quarantined.literal() : null;
	}

}
