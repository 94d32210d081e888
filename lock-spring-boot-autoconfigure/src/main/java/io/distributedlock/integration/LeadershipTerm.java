package io.distributedlock.integration;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockException;
import io.distributedlock.LockKeys;
import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

/**
 * The time for which a candidate has the lease of its role. It waits for one heartbeat
 * before it leads, leads while the store confirms its lease, and ends when it resigns or
 * loses the lease.
 * <p>
 * The wait keeps two candidates from leading at once, even if the store gave the lock
 * away without its holder's knowledge, for example by a forced release. A leader leads
 * for three quarters of a heartbeat after it sent the question that was answered last. At
 * that time it still had the lock. So the next leader got the lock later, and leads a
 * whole heartbeat after that.
 */
final class LeadershipTerm {

	private static final Logger logger = LoggerFactory.getLogger(LeadershipTerm.class);

	private final String role;

	private final Lease lease;

	private final LeaderElectionSettings settings;

	private final LockClock clock;

	private final Executor executor;

	private final LeaderEventDispatcher events;

	private final Listener end;

	// Guarded by the monitor, as are the timers.
	private boolean over;

	// Absent while this term is not confirmed. Guarded by the monitor.
	private @Nullable Leadership leadership;

	private @Nullable Timeout beat;

	private @Nullable Timeout deadline;

	LeadershipTerm(String role, Lease lease, LeaderElectionSettings settings, LockClock clock, Executor executor,
			LeaderEventDispatcher events, Listener end) {
		this.role = role;
		this.lease = lease;
		this.settings = settings;
		this.clock = clock;
		this.executor = executor;
		this.events = events;
		this.end = end;
	}

	void begin() {
		this.lease.onLost((lost) -> lose());
		beatAfter(this.settings.heartBeat());
	}

	synchronized @Nullable Leadership leadership() {
		return this.leadership;
	}

	private synchronized void beatAfter(Duration delay) {
		if (!this.over) {
			this.beat = this.clock.schedule(delay, () -> this.executor.execute(this::ask));
		}
	}

	private void ask() {
		ClockReading sentAt = ClockReading.now(this.clock);
		try {
			this.lease.verify();
			confirm(sentAt);
		}
		catch (LeaseLostException ex) {
			lose();
		}
		catch (LockException ex) {
			logger.debug("It could not be found out whether this application still leads '{}'",
					LockKeys.printable(this.role), ex);
		}
		catch (IllegalStateException ex) {
			logger.debug("The leadership of '{}' ended meanwhile", LockKeys.printable(this.role), ex);
		}
		finally {
			beatAfter(this.settings.interval());
		}
	}

	private synchronized void confirm(ClockReading sentAt) {
		if (this.over || sentAt.age(this.clock).compareTo(this.settings.validity()) >= 0) {
			return;
		}
		if (this.leadership != null && !this.leadership.confirm(sentAt)) {
			revoke(this.leadership);
		}
		if (this.leadership == null) {
			this.leadership = new Leadership(this.role, this.lease, this.clock, this.settings.validity(), this, sentAt);
			logger.info("This application leads '{}'", LockKeys.printable(this.role));
			this.events.granted(this.leadership);
		}
		watch(this.leadership);
	}

	/**
	 * Check a leadership again when it would end without another confirmation.
	 */
	private void watch(Leadership leadership) {
		if (this.deadline != null) {
			this.deadline.cancel();
		}
		this.deadline = this.clock.schedule(leadership.left(), () -> revokeIfOver(leadership));
	}

	private synchronized void revokeIfOver(Leadership watched) {
		if (this.leadership != watched) {
			return;
		}
		if (watched.isLeader()) {
			watch(watched);
		}
		else {
			logger.warn("This application does not lead '{}' until the store confirms its lease again",
					LockKeys.printable(this.role));
			revoke(watched);
		}
	}

	private CompletableFuture<Void> revoke(Leadership ended) {
		ended.end();
		this.leadership = null;
		return this.events.revoked(ended);
	}

	/**
	 * End without a lease.
	 */
	private void lose() {
		if (finish() != null) {
			logger.warn("This application has lost the leadership of '{}', or was about to have it",
					LockKeys.printable(this.role));
			this.end.leaseLost(this);
		}
	}

	/**
	 * End, and give the lease back when all listeners have been notified.
	 * @return completed when it has been given back
	 */
	CompletionStage<Void> resign() {
		CompletableFuture<Void> told = finish();
		return (told != null) ? told.thenCompose((done) -> this.lease.releaseAsync()).thenAccept((held) -> {
		}) : this.events.settled();
	}

	void yield(Leadership yielded) {
		synchronized (this) {
			if (this.leadership != yielded) {
				return;
			}
		}
		this.end.yielded(this);
	}

	/**
	 * Mark this term as over.
	 * @return completed when all listeners have been notified; {@code null} if it was
	 * over before
	 */
	private synchronized @Nullable CompletableFuture<Void> finish() {
		if (this.over) {
			return null;
		}
		this.over = true;
		if (this.beat != null) {
			this.beat.cancel();
		}
		if (this.deadline != null) {
			this.deadline.cancel();
		}
		return (this.leadership != null) ? revoke(this.leadership) : this.events.settled();
	}

	/**
	 * Is notified when a term ends by itself.
	 */
	interface Listener {

		void leaseLost(LeadershipTerm term);

		void yielded(LeadershipTerm term);

	}

}
