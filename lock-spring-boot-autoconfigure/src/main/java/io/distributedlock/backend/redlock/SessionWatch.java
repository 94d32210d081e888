package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.function.Consumer;

import io.distributedlock.spi.LockClock;

/**
 * Ends a session that has given no answer for a while although calls are under way. A
 * firewall or a proxy may have dropped the connection without closing it, and a new one
 * may work.
 */
final class SessionWatch {

	/**
	 * A session is never given up earlier, however short the call timeout is, because
	 * this JVM may have stood still for a moment.
	 */
	private static final Duration SHORTEST = Duration.ofMillis(500);

	private final NodeSession session;

	private final LockClock clock;

	private final Duration patience;

	private final Consumer<Duration> silent;

	// All below is guarded by the monitor.
	private int open;

	private long lastAnswerAt;

	private boolean scheduled;

	private boolean silentBefore;

	/**
	 * Create a watch.
	 * @param session the session
	 * @param clock the clock of this JVM
	 * @param patience how long the session may be silent
	 * @param silent receives the length of the silence
	 */
	SessionWatch(NodeSession session, LockClock clock, Duration patience, Consumer<Duration> silent) {
		this.session = session;
		this.clock = clock;
		this.patience = patience;
		this.silent = silent;
	}

	/**
	 * Return how long a session may be silent.
	 * @param callTimeout the timeout of a call
	 */
	static Duration patience(Duration callTimeout) {
		return (callTimeout.compareTo(SHORTEST) > 0) ? callTimeout : SHORTEST;
	}

	NodeSession session() {
		return this.session;
	}

	/**
	 * Record that a call begins.
	 */
	void callBegun() {
		boolean first;
		synchronized (this) {
			if (this.open++ == 0) {
				this.lastAnswerAt = this.clock.nanoTime();
			}
			first = !this.scheduled;
			this.scheduled = true;
		}
		if (first) {
			this.clock.schedule(this.patience, this::check);
		}
	}

	/**
	 * Record that a call has ended, with an answer or a fault.
	 */
	synchronized void callEnded() {
		this.open--;
		this.lastAnswerAt = this.clock.nanoTime();
		this.silentBefore = false;
	}

	private void check() {
		Duration silence;
		boolean isSilent;
		boolean stays;
		synchronized (this) {
			if (this.open == 0) {
				this.scheduled = false;
				return;
			}
			silence = Duration.ofNanos(this.clock.nanoTime() - this.lastAnswerAt);
			isSilent = silence.compareTo(this.patience) >= 0;
			stays = isSilent && this.silentBefore;
			this.silentBefore = isSilent;
		}
		if (stays) {
			this.silent.accept(silence);
			return;
		}
		// This JVM may have stood still, with answers that are not read yet. The delay is
		// never zero, since timers may be less exact than the clock.
		Duration next = isSilent ? this.patience.dividedBy(4) : this.patience.minus(silence).plusMillis(1);
		this.clock.schedule(next, this::check);
	}

}
