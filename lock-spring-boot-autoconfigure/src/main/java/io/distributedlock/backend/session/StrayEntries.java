package io.distributedlock.backend.session;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Removes the entries that the session owns at the store although no attempt, lease or
 * waiter of this JVM uses them. They would keep their keys busy for as long as the
 * session lives. This is a safety net below the clean-up of entries whose requests were
 * not answered.
 *
 * @param <S> the sessions of the store
 * @param <N> the names of entries
 * @since 0.1.0
 */
public abstract class StrayEntries<S, N> {

	private static final Logger logger = LoggerFactory.getLogger(StrayEntries.class);

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	private final Supplier<@Nullable S> sessions;

	private final Looks looks;

	private final LockClock clock;

	// The entries that the last look found stray. Guarded by the monitor.
	private Set<N> suspects = Set.of();

	private volatile boolean ended;

	/**
	 * Create the clean-up of a connection.
	 * @param sessions returns the open session, or {@code null}
	 * @param looks how many looks have to find an entry stray before it is removed
	 * @param clock the time
	 */
	protected StrayEntries(Supplier<@Nullable S> sessions, Looks looks, LockClock clock) {
		this.sessions = sessions;
		this.looks = looks;
		this.clock = clock;
	}

	/**
	 * Look every minute from now on, one look after the other. A look that fails is
	 * repeated at the next turn.
	 */
	public final void begin() {
		this.clock.schedule(INTERVAL, () -> {
			if (!this.ended) {
				sweep().whenComplete((removed, fault) -> begin());
			}
		});
	}

	/**
	 * Stop looking.
	 */
	public final void end() {
		this.ended = true;
	}

	/**
	 * Look once at what the session owns.
	 * @return how many entries were removed; not completed exceptionally
	 */
	public final CompletionStage<Integer> sweep() {
		S session = this.sessions.get();
		return (session != null) ? sweep(session) : CompletableFuture.completedStage(0);
	}

	/**
	 * Look once at what a session owns.
	 * @param session the session
	 * @return how many entries were removed; not completed exceptionally
	 */
	public final CompletionStage<Integer> sweep(S session) {
		return list(session).thenCompose((names) -> {
			Set<N> strays = names.stream().filter((name) -> isStray(session, name)).collect(Collectors.toSet());
			List<N> removed = confirm(strays);
			removed.forEach(
					(name) -> logger.debug("{} is removed, since no lease or waiter of this client uses it", name));
			return delete(session, removed).thenApply((done) -> removed.size());
		}).exceptionally((fault) -> {
			logger.debug("The entries of {} could not be checked yet", session, fault);
			return 0;
		});
	}

	private synchronized List<N> confirm(Set<N> strays) {
		List<N> confirmed = strays.stream()
			.filter((name) -> this.looks == Looks.ONE || this.suspects.contains(name))
			.toList();
		this.suspects = strays;
		return confirmed;
	}

	/**
	 * List what a session owns at the store.
	 * @param session the session
	 * @return the names
	 */
	protected abstract CompletionStage<? extends Collection<N>> list(S session);

	/**
	 * Return whether a name is that of an entry in a queue that this JVM does not know.
	 * @param session the session
	 * @param name the name
	 * @return whether it is stray
	 */
	protected abstract boolean isStray(S session, N name);

	/**
	 * Delete entries, unless they are gone.
	 * @param session their session
	 * @param names their names
	 * @return completed when that is done
	 */
	protected abstract CompletionStage<?> delete(S session, List<N> names);

	/**
	 * How many looks have to find an entry stray.
	 */
	protected enum Looks {

		/**
		 * One look, if it does no harm to remove an entry that this JVM is still about to
		 * remove.
		 */
		ONE,

		/**
		 * Two looks in a row.
		 */
		TWO

	}

}
