package io.distributedlock.backend.notification;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.LockClock;

/**
 * Notifies the waiters of one client of releases, through one subscription at each
 * source. The subscriptions exist while there are waiters, and for a minute after the
 * last one has left.
 * <p>
 * Notifications are reliable if at least one node of every possible majority is
 * subscribed to. With a single server they are reliable if that server is subscribed to.
 * A waiter that joins first and attempts afterwards then misses no release. All waiters
 * are woken when notifications become reliable, and when a subscription is back after an
 * interruption, because they may have missed releases. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class ReleaseNotifications {

	private static final Duration KEPT = Duration.ofMinutes(1);

	private final List<SourceSubscription> sources = new ArrayList<>();

	private final int quorum;

	private final LockClock clock;

	// Each list is immutable. It mostly has one element, since the engine contends for a
	// key once at a time.
	private final Map<String, List<ReleaseWaiter>> waiters = new ConcurrentHashMap<>();

	// One for each pending call of awaitReliable. Run when the state may have changed.
	private final Set<Runnable> questions = ConcurrentHashMap.newKeySet();

	// Written under this object's monitor; read by every attempt that waits.
	private volatile NotificationState state = NotificationState.PENDING;

	private volatile boolean idleScheduled;

	// When the last waiter left.
	private volatile long idleSince;

	/**
	 * Create the notifications of one server.
	 * @param source the server
	 * @param checks how its subscription is checked, or {@code null} if the source
	 * detects by itself that it has fallen silent
	 * @param clock the clock of this JVM
	 */
	public ReleaseNotifications(NotificationSource source, @Nullable SubscriptionChecks checks, LockClock clock) {
		this(List.of(source), 1, checks, clock, ThreadLocalRandom::current);
	}

	/**
	 * Create the notifications of several servers.
	 * @param sources the servers
	 * @param quorum how many of them are a majority
	 * @param checks how their subscriptions are checked, or {@code null} if the sources
	 * detect by themselves that one has fallen silent
	 * @param clock the clock of this JVM
	 * @param random the generator of the calling thread
	 */
	public ReleaseNotifications(List<? extends NotificationSource> sources, int quorum,
			@Nullable SubscriptionChecks checks, LockClock clock, Supplier<? extends RandomGenerator> random) {
		for (NotificationSource source : sources) {
			this.sources.add(new SourceSubscription(this, this.sources.size(), source, checks, clock, random));
		}
		this.quorum = quorum;
		this.clock = clock;
	}

	/**
	 * Return whether waiters are notified.
	 * @return the state at this moment
	 */
	public NotificationState state() {
		return this.state;
	}

	/**
	 * Create a waiter for one lock, which has not joined yet.
	 * @param key the key of the lock, as the sources name it
	 * @param wakeUp is run on any thread when another attempt may succeed
	 * @return the waiter
	 */
	public ReleaseWaiter waiter(String key, Runnable wakeUp) {
		return waiter(List.of(key), wakeUp);
	}

	/**
	 * Create a waiter, which has not joined yet.
	 * @param keys the keys of the locks, as the sources name them; a release of any of
	 * them wakes the waiter
	 * @param wakeUp is run on any thread when another attempt may succeed
	 * @return the waiter
	 */
	public ReleaseWaiter waiter(List<String> keys, Runnable wakeUp) {
		return new ReleaseWaiter(this, keys, wakeUp);
	}

	void add(ReleaseWaiter waiter) {
		for (String key : waiter.keys()) {
			this.waiters.merge(key, List.of(waiter),
					(present, added) -> Stream.concat(present.stream(), added.stream()).toList());
		}
	}

	void remove(ReleaseWaiter waiter) {
		for (String key : waiter.keys()) {
			this.waiters.computeIfPresent(key, (same, present) -> {
				if (present.size() == 1 && present.get(0) == waiter) {
					return null;
				}
				List<ReleaseWaiter> others = present.stream().filter((other) -> other != waiter).toList();
				return others.isEmpty() ? null : others;
			});
		}
		becomeIdle();
	}

	/**
	 * Return whether there are waiters, or callers of {@link #awaitReliable}.
	 */
	boolean isWanted() {
		return !this.waiters.isEmpty() || !this.questions.isEmpty();
	}

	/**
	 * Subscribe to the sources that are not subscribed to, if there are waiters.
	 */
	void subscribe() {
		if (isWanted()) {
			this.sources.forEach(SourceSubscription::open);
		}
	}

	/**
	 * Subscribe again, because releases may be missed although there are subscriptions.
	 * Waiters that rely on them are woken, and poll until there are new subscriptions.
	 */
	public void resubscribe() {
		if (this.state == NotificationState.RELIABLE) {
			this.sources.forEach(SourceSubscription::close);
			changed(false);
			wakeAll();
			subscribe();
		}
	}

	/**
	 * Subscribe, and find out whether waiters are notified.
	 * @param timeout how long that may take
	 * @param explanation creates the exception from the refusals of the sources, by their
	 * index. It is used after the timeout, and when too many sources refuse
	 * @return {@code true} once notifications are reliable, {@code false} if they never
	 * will be. Completed exceptionally if a majority of the sources refuses the
	 * subscription, or after the timeout
	 */
	public CompletionStage<Boolean> awaitReliable(Duration timeout,
			Function<Map<Integer, LockRefusedException>, ? extends RuntimeException> explanation) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		Runnable question = () -> {
			NotificationState known = this.state;
			if (known != NotificationState.PENDING) {
				answer.complete(known == NotificationState.RELIABLE);
			}
			else if (refusals().size() >= this.quorum) {
				answer.completeExceptionally(explanation.apply(refusals()));
			}
		};
		this.questions.add(question);
		this.clock.scheduleUnlessDone(answer, timeout,
				() -> answer.completeExceptionally(explanation.apply(refusals())));
		answer.whenComplete((reliable, fault) -> {
			this.questions.remove(question);
			becomeIdle();
		});
		subscribe();
		question.run();
		return answer;
	}

	private Map<Integer, LockRefusedException> refusals() {
		Map<Integer, LockRefusedException> refusals = new TreeMap<>();
		for (SourceSubscription source : this.sources) {
			LockRefusedException refusal = source.refusal();
			if (refusal != null) {
				refusals.put(source.index(), refusal);
			}
		}
		return refusals;
	}

	void released(String key, int source) {
		this.waiters.getOrDefault(key, List.of()).forEach((waiter) -> waiter.released(source, this.quorum, this.clock));
	}

	/**
	 * Update the state after a subscription has begun or ended.
	 * @param regained whether one is back after an interruption
	 */
	void changed(boolean regained) {
		boolean news;
		synchronized (this) {
			NotificationState before = this.state;
			this.state = count();
			news = this.state == NotificationState.RELIABLE && (before != NotificationState.RELIABLE || regained);
		}
		// Not under the monitor, because callers continue on this thread.
		this.questions.forEach(Runnable::run);
		if (news) {
			wakeAll();
		}
		closeLater();
	}

	private NotificationState count() {
		if (number(SourceSubscription::isSubscribed) > this.sources.size() - this.quorum) {
			return NotificationState.RELIABLE;
		}
		return (number(SourceSubscription::isUnsupported) < this.quorum) ? NotificationState.PENDING
				: NotificationState.UNSUPPORTED;
	}

	private long number(Predicate<SourceSubscription> condition) {
		return this.sources.stream().filter(condition).count();
	}

	private void wakeAll() {
		this.waiters.values().stream().flatMap(Collection::stream).forEach(ReleaseWaiter::wake);
	}

	/**
	 * Record that a waiter has left, perhaps the last one. Every granted attempt that was
	 * ready to wait calls this, mostly while there is no subscription.
	 */
	private void becomeIdle() {
		if (!isWanted()) {
			this.idleSince = this.clock.nanoTime();
			closeLater();
		}
	}

	private void closeLater() {
		if (this.idleScheduled || isWanted() || !isAnyOpen()) {
			return;
		}
		synchronized (this) {
			if (!this.idleScheduled) {
				this.idleScheduled = true;
				this.clock.schedule(KEPT, this::closeIfIdle);
			}
		}
	}

	private boolean isAnyOpen() {
		// Not a stream, because every grant comes here.
		for (SourceSubscription source : this.sources) {
			if (source.isOpen()) {
				return true;
			}
		}
		return false;
	}

	private void closeIfIdle() {
		synchronized (this) {
			this.idleScheduled = false;
			// The last waiter that leaves schedules this again.
			if (isWanted()) {
				return;
			}
			long left = this.idleSince + KEPT.toNanos() - this.clock.nanoTime();
			if (left > 0) {
				this.idleScheduled = true;
				this.clock.schedule(Duration.ofNanos(left), this::closeIfIdle);
				return;
			}
		}
		this.sources.forEach(SourceSubscription::close);
		changed(false);
		// A waiter that has joined meanwhile may rely on the subscriptions that were just
		// ended. It is woken when there is a new one.
		subscribe();
	}

	/**
	 * End the subscriptions permanently. Pending calls of {@link #awaitReliable} complete
	 * with {@code false}.
	 */
	public void close() {
		this.sources.forEach(SourceSubscription::stop);
		changed(false);
	}

}
