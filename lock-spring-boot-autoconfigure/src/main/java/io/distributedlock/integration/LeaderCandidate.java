package io.distributedlock.integration;

import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.spi.LockClock;

/**
 * Represents this application as a candidate for one role. Waits for the lock of the
 * role, begins a {@link LeadershipTerm} with it, and waits again when the term is over.
 * No thread is parked meanwhile.
 */
final class LeaderCandidate implements LeadershipTerm.Listener {

	private static final Logger logger = LoggerFactory.getLogger(LeaderCandidate.class);

	private final String role;

	private final LockTemplate template;

	private final LeaderElectionSettings settings;

	private final LockClock clock;

	private final Executor executor;

	private final LeaderEventDispatcher events;

	private final LockRequest request;

	// Changes with each new round, so that late events of an earlier round are
	// recognised. Guarded by the monitor, like the other fields.
	private long round;

	private boolean running;

	private @Nullable CompletableFuture<Lease> asked;

	private @Nullable LeadershipTerm term;

	private boolean failing;

	LeaderCandidate(String role, LockTemplate template, LeaderElectionSettings settings, LockClock clock,
			Executor executor, LeaderEventDispatcher events) {
		this.role = role;
		this.template = template;
		this.settings = settings;
		this.clock = clock;
		this.executor = executor;
		this.events = events;
		this.request = request(role, settings);
	}

	private static LockRequest request(String role, LeaderElectionSettings settings) {
		String key = LeaderElection.KEY_PREFIX + role;
		LockRequest request = LockRequest.of(key)
			.name(key)
			.ttl(settings.leaseTtl())
			.waitTime(ChronoUnit.FOREVER.getDuration());
		return (settings.backend() != null) ? request.backend(settings.backend()) : request;
	}

	synchronized void start() {
		if (!this.running) {
			this.running = true;
			askSoon();
		}
	}

	/**
	 * Withdraw as a candidate.
	 * @return completed when the lease has been given back and all listeners have been
	 * notified
	 */
	CompletionStage<Void> stop() {
		LeadershipTerm ended;
		synchronized (this) {
			this.running = false;
			this.round++;
			if (this.asked != null) {
				this.asked.cancel(true);
				this.asked = null;
			}
			ended = this.term;
			this.term = null;
		}
		return (ended != null) ? ended.resign() : this.events.settled();
	}

	@Nullable Leadership leadership() {
		LeadershipTerm current;
		synchronized (this) {
			current = this.term;
		}
		return (current != null) ? current.leadership() : null;
	}

	/**
	 * Begin another round. Called with the monitor held.
	 */
	private void askSoon() {
		long next = ++this.round;
		this.executor.execute(() -> ask(next));
	}

	private void ask(long asking) {
		CompletableFuture<Lease> future = acquire();
		synchronized (this) {
			if (this.round == asking) {
				this.asked = future;
			}
			else {
				future.cancel(true);
			}
		}
		future.whenComplete((lease, failure) -> {
			if (lease != null) {
				elected(asking, lease);
			}
			else {
				failed(asking, failure);
			}
		});
	}

	private CompletableFuture<Lease> acquire() {
		try {
			return this.template.acquireAsync(this.request).toCompletableFuture();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void elected(long asking, Lease lease) {
		LeadershipTerm elected = new LeadershipTerm(this.role, lease, this.settings, this.clock, this.executor,
				this.events, this);
		synchronized (this) {
			if (this.round == asking) {
				this.failing = false;
				this.asked = null;
				this.term = elected;
			}
		}
		if (isCurrent(elected)) {
			elected.begin();
		}
		else {
			lease.releaseAsync();
		}
	}

	private synchronized boolean isCurrent(LeadershipTerm elected) {
		return this.term == elected;
	}

	private synchronized void failed(long asking, Throwable failure) {
		if (this.round == asking) {
			// Warn of the first failure only, because the store may be unavailable for
			// long.
			logger.atLevel(this.failing ? Level.DEBUG : Level.WARN)
				.setCause(failure)
				.log("This application can't be a candidate for '{}' now; it tries again", this.role);
			this.failing = true;
			this.asked = null;
			askAfterOneHeartBeat(asking);
		}
	}

	private void askAfterOneHeartBeat(long asked) {
		this.clock.schedule(this.settings.heartBeat(), () -> askAgain(asked));
	}

	private synchronized void askAgain(long asked) {
		if (this.round == asked) {
			askSoon();
		}
	}

	@Override
	public synchronized void leaseLost(LeadershipTerm lost) {
		if (this.term == lost) {
			this.term = null;
			askSoon();
		}
	}

	@Override
	public void yielded(LeadershipTerm yielded) {
		long standingBack;
		synchronized (this) {
			if (this.term != yielded) {
				return;
			}
			this.term = null;
			standingBack = ++this.round;
		}
		yielded.resign().whenComplete((done, failure) -> askAfterOneHeartBeat(standingBack));
	}

}
