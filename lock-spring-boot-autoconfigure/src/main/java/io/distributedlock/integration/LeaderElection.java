package io.distributedlock.integration;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.integration.leader.event.LeaderEventPublisher;

import io.distributedlock.LockTemplate;
import io.distributedlock.spi.LockClock;

/**
 * Makes this application a candidate for roles, each of which has at most one leader
 * among all applications that share a store. Publishes Spring Integration's
 * {@link org.springframework.integration.leader.event.OnGrantedEvent} and
 * {@link org.springframework.integration.leader.event.OnRevokedEvent}, whose context is a
 * {@link Leadership}. So endpoints in a role are started and stopped with it.
 * <p>
 * The leader of a role holds the lock on {@code leader:<role>}. <b>What is
 * guaranteed:</b> no two applications lead a role at the same time, as reported by
 * {@link Leadership#isLeader()}, even if the lock is taken away from a leader by force or
 * with its session. Such a leader is revoked within one heartbeat, and so is a leader
 * whose store can't be asked for that long. A leader that yields is followed after one
 * heartbeat, one that crashes within the TTL. On a store with sessions, a crashed leader
 * is followed one heartbeat after its session has ended.
 * <p>
 * <b>Where that ends:</b> listeners are notified as soon as threads and processors are
 * free. A thread that is paused between a call of {@code isLeader()} and a write can't
 * notice the end of its leadership; compare {@linkplain Leadership#fencingToken() fencing
 * tokens} to protect such writes. A store that loses its data or follows two masters at
 * once may confirm two leases; the table of its guarantees describes that.
 * <p>
 * If a listener is still blocked in the event of a leadership when that ends, it is
 * interrupted, and the end is published after it has returned. A leader that yields or
 * stops gives the lock back only when all listeners have returned.
 *
 * @since 0.1.0
 */
public final class LeaderElection implements SmartLifecycle {

	/**
	 * The prefix of the keys of the leaders' locks.
	 */
	public static final String KEY_PREFIX = "leader:";

	/**
	 * Like other candidates of Spring Integration: starts after everything else and stops
	 * before it.
	 */
	static final int PHASE = Integer.MAX_VALUE - 1000;

	private static final long PATIENCE_IN_SECONDS = 30;

	private static final Logger logger = LoggerFactory.getLogger(LeaderElection.class);

	private final Map<String, LeaderCandidate> candidacies = new LinkedHashMap<>();

	// Written and read by the thread that starts and stops the context; volatile, because
	// different threads may start and close a context.
	private volatile boolean running;

	/**
	 * Create an election, which begins when it is started.
	 * @param settings the roles, and the times
	 * @param template acquires the leases
	 * @param clock the time
	 * @param publisher publishes leaderships
	 * @param executor runs the listeners, which may block
	 */
	public LeaderElection(LeaderElectionSettings settings, LockTemplate template, LockClock clock,
			LeaderEventPublisher publisher, Executor executor) {
		for (String role : settings.roles()) {
			this.candidacies.put(role, new LeaderCandidate(role, template, settings, clock, executor,
					new LeaderEventDispatcher(this, publisher, executor)));
		}
	}

	/**
	 * Return the roles for which this application is a candidate.
	 * @return the roles
	 */
	public Set<String> roles() {
		return Set.copyOf(this.candidacies.keySet());
	}

	/**
	 * Return whether this application leads a role now. Answered locally.
	 * @param role one of the {@link #roles()}
	 * @return whether it leads
	 * @throws IllegalArgumentException if this application is not a candidate for the
	 * role
	 */
	public boolean isLeader(String role) {
		return leadership(role).isPresent();
	}

	/**
	 * Return the leadership of a role.
	 * @param role one of the {@link #roles()}
	 * @return the leadership, or empty if this application does not lead now
	 * @throws IllegalArgumentException if this application is not a candidate for the
	 * role
	 */
	public Optional<Leadership> leadership(String role) {
		LeaderCandidate candidate = this.candidacies.get(role);
		if (candidate == null) {
			throw new IllegalArgumentException(
					"This application is not a candidate for '" + role + "', only for " + roles());
		}
		return Optional.ofNullable(candidate.leadership()).filter(Leadership::isLeader);
	}

	@Override
	public void start() {
		this.running = true;
		this.candidacies.values().forEach(LeaderCandidate::start);
	}

	/**
	 * Give up all leaderships, and wait until listeners have been notified and the locks
	 * given back, for half a minute at most.
	 */
	@Override
	public void stop() {
		try {
			stopAll().get(PATIENCE_IN_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.warn("A leadership has not ended yet; its lock stays taken until its listeners return", ex);
		}
	}

	@Override
	public void stop(Runnable callback) {
		stopAll().whenComplete((done, failure) -> callback.run());
	}

	private CompletableFuture<@Nullable Void> stopAll() {
		this.running = false;
		return CompletableFuture.allOf(this.candidacies.values()
			.stream()
			.map(LeaderCandidate::stop)
			.map(CompletionStage::toCompletableFuture)
			.toArray(CompletableFuture[]::new));
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
