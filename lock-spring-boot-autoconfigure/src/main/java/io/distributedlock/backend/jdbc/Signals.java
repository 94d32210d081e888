package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Tells the waiters of this JVM of releases, by one connection that listens while
 * somebody waits and for a minute after. Whenever it begins to listen, all attempt once,
 * for what they may have missed. Where nothing is heard waiters poll, as if there were no
 * notifications.
 */
final class Signals {

	private static final Logger logger = LoggerFactory.getLogger(Signals.class);

	private static final Duration KEPT = Duration.ofMinutes(1);

	private static final long FIRST_PAUSE_MILLIS = 100;

	private static final long LONGEST_PAUSE_MILLIS = 5000;

	/**
	 * How many connections in a row have to hear nothing before none is opened any more:
	 * a database that is busy may be late once.
	 */
	private static final int TRIES = 3;

	private enum State {

		QUIET, CONNECTING, LISTENING, CLOSING, PAUSING, DEAF, STOPPED

	}

	private final Source source;

	private final LockClock clock;

	private final ThreadPoolExecutor listener = JdbcThreads.named("lock-jdbc-listener", 1);

	// The monitor of this object guards all fields below. Waiters are woken outside it,
	// on the one listener thread.
	private final Map<String, Set<Subscription>> waiting = new HashMap<>();

	private final List<CompletableFuture<Boolean>> questions = new ArrayList<>();

	private State state;

	private LockClock.@Nullable Timeout timer;

	private int failures;

	private int unheard;

	private boolean unreliable;

	/**
	 * Create the signals.
	 * @param source listens
	 * @param enabled whether to listen at all
	 * @param clock the clock
	 */
	Signals(Source source, boolean enabled, LockClock clock) {
		this.source = source;
		this.clock = clock;
		this.state = enabled ? State.QUIET : State.DEAF;
	}

	/**
	 * Tell somebody of the releases of one key. Whether it is told from now on
	 * {@link #hearing()} says, if asked after this.
	 * @param key the key as it is stored
	 * @param wakeUp what to run after a release, or when one may have been missed
	 * @return to be closed when the wait is over
	 */
	synchronized Subscription subscribe(String key, Runnable wakeUp) {
		Subscription subscription = new Subscription(this, key, wakeUp);
		if (this.state == State.DEAF || this.state == State.STOPPED) {
			return subscription;
		}
		this.waiting.computeIfAbsent(key, (absent) -> new LinkedHashSet<>()).add(subscription);
		if (this.state == State.QUIET) {
			connect();
		}
		else if (this.state != State.PAUSING) {
			cancelTimer();
		}
		return subscription;
	}

	synchronized Hearing hearing() {
		return switch (this.state) {
			case LISTENING -> Hearing.NOW;
			case DEAF, STOPPED -> Hearing.NONE;
			default -> Hearing.NOT_YET;
		};
	}

	/**
	 * Find out whether releases are heard of. While nobody waits that is not tried.
	 * @return {@code true} as soon as they are, {@code false} if waiters poll
	 */
	CompletableFuture<Boolean> whetherHeard() {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		synchronized (this) {
			this.questions.add(answer);
		}
		answerQuestions();
		return answer;
	}

	/**
	 * Answer what is known by now; never under the monitor, since others go on from
	 * there.
	 */
	private void answerQuestions() {
		List<CompletableFuture<Boolean>> answered;
		Hearing known;
		synchronized (this) {
			known = hearing();
			if (known == Hearing.NOT_YET) {
				return;
			}
			answered = List.copyOf(this.questions);
			this.questions.clear();
		}
		answered.forEach((question) -> question.complete(known == Hearing.NOW));
	}

	private synchronized void unsubscribe(Subscription subscription) {
		Set<Subscription> others = this.waiting.get(subscription.key());
		if (others != null && others.remove(subscription) && others.isEmpty()) {
			this.waiting.remove(subscription.key());
			if (this.waiting.isEmpty() && this.state == State.LISTENING) {
				cancelTimer();
				this.timer = this.clock.schedule(KEPT, this::giveBack);
			}
		}
	}

	private synchronized void giveBack() {
		if (this.waiting.isEmpty() && this.state == State.LISTENING) {
			this.state = State.CLOSING;
		}
	}

	private synchronized void connect() {
		if (this.state != State.STOPPED) {
			this.state = State.CONNECTING;
			this.listener.execute(this::listen);
		}
	}

	private void listen() {
		Throwable fault = null;
		try (Ear ear = this.source.open()) {
			if (ear.hears()) {
				becomeListening();
				while (isListening()) {
					ear.receive().forEach((key) -> wake(waiters(key)));
				}
				wake(waitersThatSleptTooLong());
			}
			else {
				hearNothing();
			}
		}
		catch (SQLException | RuntimeException | LinkageError ex) {
			fault = ex;
		}
		ended(fault);
		answerQuestions();
	}

	private void becomeListening() {
		List<Subscription> all;
		synchronized (this) {
			if (this.state != State.CONNECTING) {
				return;
			}
			this.state = State.LISTENING;
			this.failures = 0;
			this.unheard = 0;
			all = allWaiters();
			if (all.isEmpty()) {
				this.timer = this.clock.schedule(KEPT, this::giveBack);
			}
		}
		wake(all);
		answerQuestions();
	}

	private synchronized boolean isListening() {
		return this.state == State.LISTENING;
	}

	private synchronized void hearNothing() {
		if (++this.unheard == TRIES) {
			becomeDeaf(null);
		}
	}

	private synchronized void becomeDeaf(@Nullable Throwable fault) {
		if (this.state == State.CONNECTING) {
			this.state = State.DEAF;
			this.waiting.clear();
			logger.warn("Notifications of released locks do not arrive, perhaps because of a proxy in front of the"
					+ " database that shares its connections: waiters poll instead, and lock.jdbc.notifications=off"
					+ " says so for good", fault);
		}
	}

	/**
	 * Decide what follows when a connection no longer listens.
	 */
	private synchronized void ended(@Nullable Throwable fault) {
		if (fault instanceof LinkageError || (fault != null && SqlFaults.isUnsupported(fault))) {
			becomeDeaf(fault);
		}
		if (this.state == State.STOPPED || this.state == State.DEAF) {
			return;
		}
		cancelTimer();
		if (fault == null) {
			again();
			return;
		}
		logger.debug("Nothing is heard of released locks until there is a new connection", fault);
		long most = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(this.failures++, 10));
		this.state = State.PAUSING;
		this.timer = this.clock.schedule(Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1)),
				this::again);
	}

	private synchronized void again() {
		if (this.state == State.STOPPED) {
			return;
		}
		this.timer = null;
		if (this.waiting.isEmpty()) {
			this.state = State.QUIET;
		}
		else {
			connect();
		}
	}

	/**
	 * Take note that releases may not be heard of for now: waiters poll until it has been
	 * tried again, on a new connection, whether notifications arrive.
	 */
	synchronized void listenAnew() {
		if (this.state == State.LISTENING) {
			this.state = State.CLOSING;
			this.unreliable = true;
			cancelTimer();
		}
	}

	/**
	 * Return those who sleep for as long as waiters do that hear of releases, though they
	 * may not: they poll once they are woken.
	 */
	private synchronized List<Subscription> waitersThatSleptTooLong() {
		boolean all = this.unreliable;
		this.unreliable = false;
		return all ? allWaiters() : List.of();
	}

	private synchronized List<Subscription> allWaiters() {
		return this.waiting.values().stream().flatMap(Collection::stream).toList();
	}

	private synchronized List<Subscription> waiters(String key) {
		return List.copyOf(this.waiting.getOrDefault(key, Set.of()));
	}

	private static void wake(List<Subscription> subscriptions) {
		for (Subscription each : subscriptions) {
			try {
				each.wakeUp().run();
			}
			catch (RuntimeException ex) {
				logger.warn("A waiter for a lock could not be woken", ex);
			}
		}
	}

	private void cancelTimer() {
		if (this.timer != null) {
			this.timer.cancel();
			this.timer = null;
		}
	}

	/**
	 * Tell nobody anything any more. The connection is given back soon after.
	 */
	void close() {
		synchronized (this) {
			this.state = State.STOPPED;
			cancelTimer();
			this.waiting.clear();
			this.listener.shutdown();
		}
		answerQuestions();
	}

	void awaitEnd(Duration timeout) {
		DedicatedConnectionExecutor.awaitEnd(this.listener, timeout);
	}

	/**
	 * What a waiter closes when its wait is over. Two of them are never equal.
	 */
	static final class Subscription {

		private final Signals signals;

		private final String key;

		private final Runnable wakeUp;

		private Subscription(Signals signals, String key, Runnable wakeUp) {
			this.signals = signals;
			this.key = key;
			this.wakeUp = wakeUp;
		}

		private String key() {
			return this.key;
		}

		private Runnable wakeUp() {
			return this.wakeUp;
		}

		void close() {
			this.signals.unsubscribe(this);
		}

	}

	/**
	 * Opens connections that listen.
	 */
	@FunctionalInterface
	interface Source {

		Ear open() throws SQLException;

	}

	/**
	 * A connection that listens. Used by the listener thread alone.
	 */
	interface Ear extends AutoCloseable {

		/**
		 * Try whether it hears what another connection says.
		 * @return whether it does
		 * @throws SQLException if that could not be tried
		 */
		boolean hears() throws SQLException;

		/**
		 * Wait a little for releases.
		 * @return the keys as they are stored
		 * @throws SQLException if the connection is broken
		 */
		List<String> receive() throws SQLException;

		@Override
		void close();

	}

}
