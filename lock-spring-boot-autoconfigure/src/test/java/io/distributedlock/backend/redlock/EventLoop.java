package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.PriorityQueue;

/**
 * Holds the true time, which no participant of a history knows, and a queue of events.
 */
final class EventLoop {

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private long now;

	private long lastSerial;

	private long happened;

	long now() {
		return this.now;
	}

	/**
	 * Return how many events have happened.
	 */
	long happened() {
		return this.happened;
	}

	Event at(long time, Runnable action) {
		Event event = new Event(Math.max(time, this.now), ++this.lastSerial, action);
		this.events.add(event);
		return event;
	}

	Event after(Duration delay, Runnable action) {
		return at(this.now + delay.toNanos(), action);
	}

	void runUntil(long end) {
		for (Event next = this.events.peek(); next != null && next.time <= end; next = this.events.peek()) {
			this.events.poll();
			this.now = next.time;
			if (!next.cancelled) {
				this.happened++;
				next.action.run();
			}
		}
		this.now = end;
	}

	/**
	 * An event of a history.
	 */
	static final class Event implements Comparable<Event> {

		private final long time;

		private final long serial;

		private final Runnable action;

		private boolean cancelled;

		Event(long time, long serial, Runnable action) {
			this.time = time;
			this.serial = serial;
			this.action = action;
		}

		void cancel() {
			this.cancelled = true;
		}

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.time, other.time);
			return (byTime != 0) ? byTime : Long.compare(this.serial, other.serial);
		}

	}

}
