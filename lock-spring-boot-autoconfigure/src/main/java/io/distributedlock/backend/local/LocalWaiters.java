package io.distributedlock.backend.local;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The contenders that wait for a key, and the door that they close to new members of its
 * group. Each contender keeps the door closed for a time of its own, and no longer than
 * it waits.
 * <p>
 * Not thread-safe: its {@link LocalStore} guards all of it.
 */
final class LocalWaiters {

	private static final Duration DOOR_BEYOND_NEXT_ATTEMPT = Duration.ofSeconds(1);

	// With the monotonic time until which each keeps the door closed.
	private final Map<LocalContender, Long> doors = new LinkedHashMap<>();

	boolean isEmpty() {
		return this.doors.isEmpty();
	}

	void add(LocalContender waiter, long now) {
		this.doors.putIfAbsent(waiter, now);
	}

	/**
	 * Let a waiter close the door until it attempts again, and for a while longer.
	 */
	void addAndCloseDoor(LocalContender waiter, long nextAttempt) {
		this.doors.put(waiter, nextAttempt + DOOR_BEYOND_NEXT_ATTEMPT.toNanos());
	}

	/**
	 * Remove a waiter, which opens the door on its part.
	 * @return whether it kept the door closed
	 */
	boolean remove(LocalContender waiter, long now) {
		Long until = this.doors.remove(waiter);
		return until != null && until - now > 0;
	}

	/**
	 * Remove the waiters of a client.
	 * @return whether one of them kept the door closed
	 */
	boolean removeAllOf(LocalStoreConnection client, long now) {
		boolean closed = false;
		for (LocalContender waiter : List.copyOf(this.doors.keySet())) {
			closed |= waiter.client() == client && remove(waiter, now);
		}
		return closed;
	}

	/**
	 * Return whether a contender of another client waits.
	 */
	boolean isAnyBeside(LocalStoreConnection client) {
		for (LocalContender waiter : this.doors.keySet()) {
			if (waiter.client() != client) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return whether a contender of another client keeps the door closed.
	 */
	boolean isDoorClosedBeside(LocalStoreConnection client, long now) {
		return this.doors.entrySet()
			.stream()
			.anyMatch((door) -> door.getKey().client() != client && door.getValue() - now > 0);
	}

	/**
	 * Return when the door opens.
	 * @param now the monotonic time
	 * @return the monotonic time, not before now
	 */
	long doorClosedUntil(long now) {
		long latest = now;
		for (long until : this.doors.values()) {
			latest = (until - latest > 0) ? until : latest;
		}
		return latest;
	}

	/**
	 * Open the door at a time, unless it opens before.
	 */
	void openDoorAt(long time) {
		if (!isEmpty()) {
			this.doors.replaceAll((waiter, until) -> (until - time > 0) ? time : until);
		}
	}

	/**
	 * Wake all waiters, since a single one might be about to withdraw.
	 * @param after receives the tasks that wake them
	 */
	void wake(List<Runnable> after) {
		this.doors.keySet().forEach((waiter) -> after.add(waiter.wakeUp()));
	}

}
