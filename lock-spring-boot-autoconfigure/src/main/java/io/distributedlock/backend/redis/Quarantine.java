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
final class Quarantine {

	private static final Pattern STATE = Pattern.compile("(ok|q):[0-9a-f-]+:(\\d+)(?::.+)?");

	private final Duration maxTtl;

	private final LockClock clock;

	// Guarded by this object's monitor.
	private @Nullable Standing standing;

	/**
	 * Create what knows nothing yet.
	 * @param maxTtl the longest ttl
	 * @param clock the clock of this JVM
	 */
	Quarantine(Duration maxTtl, LockClock clock) {
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
	 * @return the standing, or {@code null} before the first answer and after a doubt
	 */
	synchronized @Nullable Standing standing() {
		return this.standing;
	}

	/**
	 * Take the server's word. Answers come in the order in which they were given.
	 * @param state the state that it has now
	 * @return what is known now
	 */
	synchronized Standing read(String state) {
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
			this.standing = new Granting(state);
		}
		else if (!(this.standing instanceof Waiting waiting) || !waiting.state().equals(state)) {
			this.standing = new Waiting(state, this.clock.nanoTime() + length(this.maxTtl).toNanos());
		}
		return this.standing;
	}

	/**
	 * Forget that the server grants, because it has said that its state is another one. A
	 * quarantine is not forgotten, since its time counts.
	 * @param seen the standing with which it was asked
	 */
	synchronized void doubt(Standing seen) {
		if (seen instanceof Granting && seen.equals(this.standing)) {
			this.standing = null;
		}
	}

	/**
	 * Return the state of a quarantine that was seen for long enough.
	 * @return the state, or {@code null}
	 */
	synchronized @Nullable String over() {
		return (this.standing instanceof Waiting waiting && waiting.endsAt() - this.clock.nanoTime() <= 0)
				? waiting.state() : null;
	}

	/**
	 * Whether the server grants.
	 */
	sealed interface Standing {

		/**
		 * Return what scripts are to find.
		 */
		String state();

	}

	/**
	 * It does.
	 *
	 * @param state its state
	 */
	record Granting(String state) implements Standing {
	}

	/**
	 * It does not yet.
	 *
	 * @param state its state
	 * @param endsAt when this client may end it, on the monotonic clock
	 */
	record Waiting(String state, long endsAt) implements Standing {

		Duration rest(LockClock clock) {
			return Duration.ofNanos(Math.max(0, this.endsAt - clock.nanoTime()));
		}

	}

}
