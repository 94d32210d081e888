package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.SplittableRandom;

import io.distributedlock.spi.LockClock;

/**
 * The clocks of one JVM in a history: a monotonic clock with an origin and a speed of its
 * own, a wall clock that is wrong by up to an hour, and stalls during which the JVM
 * stands still.
 */
final class SimulatedClock implements LockClock {

	private static final long HOUR_MILLIS = 3_600_000;

	private final EventLoop loop;

	private final double speed;

	private final long origin;

	private final long wallOffset;

	private long stalledUntil;

	SimulatedClock(EventLoop loop, SplittableRandom random, boolean wallIsRight) {
		this.loop = loop;
		this.speed = 1 + (random.nextDouble() - 0.5) / 250;
		this.origin = random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L);
		this.wallOffset = 1_780_000_000_000L + (wallIsRight ? 0 : random.nextLong(-HOUR_MILLIS, HOUR_MILLIS));
	}

	@Override
	public long nanoTime() {
		return this.origin + (long) (this.loop.now() * this.speed);
	}

	@Override
	public long wallMillis() {
		return this.wallOffset + this.loop.now() / 1_000_000;
	}

	@Override
	public Timeout schedule(Duration delay, Runnable task) {
		EventLoop.Event event = this.loop.at(this.loop.now() + (long) (delay.toNanos() / this.speed),
				() -> deliver(task));
		return event::cancel;
	}

	/**
	 * Run a task in this JVM as soon as it is not stalled.
	 */
	void deliver(Runnable task) {
		if (this.loop.now() < this.stalledUntil) {
			this.loop.at(this.stalledUntil, () -> deliver(task));
		}
		else {
			task.run();
		}
	}

	boolean isStalled() {
		return this.loop.now() < this.stalledUntil;
	}

	/**
	 * Let the JVM stand still for a time.
	 */
	void stall(long nanos) {
		this.stalledUntil = this.loop.now() + nanos;
	}

}
