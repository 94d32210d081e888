package io.distributedlock.backend.redlock;

import java.time.Duration;
import java.util.function.Consumer;

import io.distributedlock.spi.LockClock;

/**
 * Ends a session on which calls are under way and nothing has been answered for a while:
 * a firewall or a proxy may have dropped the connection without a word, and a new one may
 * work.
 */
final class SessionWatch {

	/**
	 * A session is not given up before that, however short calls may take: a JVM that
	 * stands still for a moment is no reason.
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
	 * @param patience how long silence is borne
	 * @param silent receives for how long nothing was answered
	 */
	SessionWatch(NodeSession session, LockClock clock, Duration patience, Consumer<Duration> silent) {
		this.session = session;
		this.clock = clock;
		this.patience = patience;
		this.silent = silent;
	}

	/**
	 * Return how long silence is borne.
	 * @param callTimeout the time-out of a call
	 */
	static Duration patience(Duration callTimeout) {
		return (callTimeout.compareTo(SHORTEST) > 0) ? callTimeout : SHORTEST;
	}

	NodeSession session() {
		return this.session;
	}

	/**
	 * A call begins.
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
	 * A call has ended, however it did.
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
		// This JVM may have stood still, with answers that are not read yet. Never in no
		// time: timers may be less exact than the clock.
		Duration next = isSilent ? this.patience.dividedBy(4) : this.patience.minus(silence).plusMillis(1);
		this.clock.schedule(next, this::check);
	}

}
