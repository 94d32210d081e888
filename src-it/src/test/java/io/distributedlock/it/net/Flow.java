package io.distributedlock.it.net;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The treatment of the bytes of one direction, in all connections of a {@link TcpProxy}.
 * Each instance belongs to one direction of one proxy and may be changed at any time. The
 * new state also applies to bytes under way.
 */
public final class Flow {

	/**
	 * The treatment of bytes.
	 */
	public enum State {

		/**
		 * They arrive, after the delay.
		 */
		PASSING,

		/**
		 * They wait until the flow passes again, as in a network that is down for a
		 * while, because TCP repeats unacknowledged bytes.
		 */
		HELD,

		/**
		 * They never arrive. A connection that has lost bytes can't continue, so it is
		 * closed as soon as the flow passes again.
		 */
		DROPPED

	}

	// Guarded by the monitor, which is also signalled at each change.
	private State state = State.PASSING;

	// Guarded by the monitor.
	private Duration delay = Duration.ZERO;

	// Guarded by the monitor.
	private long bytes;

	// Guarded by the monitor.
	private long packets;

	// Guarded by the monitor.
	private @Nullable ByteArrayOutputStream recording;

	/**
	 * Let bytes arrive, including those that were held.
	 */
	public void pass() {
		change(State.PASSING);
	}

	/**
	 * Keep bytes back until the flow {@linkplain #pass passes}.
	 */
	public void hold() {
		change(State.HELD);
	}

	/**
	 * Swallow bytes.
	 */
	public void drop() {
		change(State.DROPPED);
	}

	/**
	 * Let bytes arrive later by a time. The throughput is not reduced: bytes that are
	 * sent in quick succession arrive in quick succession.
	 * @param delay the time; zero for none
	 */
	public synchronized void delay(Duration delay) {
		this.delay = delay;
		notifyAll();
	}

	/**
	 * Return how many bytes have come in so far.
	 * @return the number of bytes
	 */
	public synchronized long bytes() {
		return this.bytes;
	}

	/**
	 * Return in how many pieces they have come in.
	 * @return the number of reads, about that of packets with a payload
	 */
	public synchronized long packets() {
		return this.packets;
	}

	/**
	 * Record incoming bytes from now on.
	 */
	public synchronized void record() {
		this.recording = new ByteArrayOutputStream();
	}

	/**
	 * Return what has come in since {@link #record()}, of all connections in the order in
	 * which it came.
	 * @return the bytes as characters
	 */
	public synchronized String recorded() {
		return (this.recording != null) ? this.recording.toString(StandardCharsets.ISO_8859_1) : "";
	}

	private synchronized void change(State state) {
		this.state = state;
		notifyAll();
	}

	synchronized void count(byte[] buffer, int count) {
		this.bytes += count;
		this.packets++;
		if (this.recording != null) {
			this.recording.write(buffer, 0, count);
		}
	}

	/**
	 * Wait until bytes that came in at a time have to be passed on.
	 * @param cameAt the nanoseconds of {@link System#nanoTime()}
	 * @return whether they are passed on; {@code false} if they are lost
	 */
	synchronized boolean await(long cameAt) throws InterruptedException {
		while (this.state != State.DROPPED) {
			long rest = cameAt + this.delay.toNanos() - System.nanoTime();
			if (this.state == State.PASSING && rest <= 0) {
				return true;
			}
			if (this.state == State.HELD) {
				wait();
			}
			else {
				wait(rest / 1_000_000, (int) (rest % 1_000_000));
			}
		}
		return false;
	}

	synchronized void awaitPassing() throws InterruptedException {
		while (this.state != State.PASSING) {
			wait();
		}
	}

}
