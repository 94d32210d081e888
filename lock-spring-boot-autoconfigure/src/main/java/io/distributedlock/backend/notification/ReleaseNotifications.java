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

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.LockClock;

/**
 * Notifies the waiters of one client of releases, by one subscription at each source. The
 * subscriptions are there while there are waiters, and for a minute after the last one.
 * <p>
 * Notifications are reliable if at least one node of every possible majority is
 * subscribed to; for a single server, if that one is. A waiter that has joined before,
 * and attempts after that, misses no release. Whenever notifications become reliable, and
 * when a subscription is back after an interruption, all waiters are woken for what they
 * may have missed. Public for the stores only.
 *
 * @since 0.1.0
 */
public final class ReleaseNotifications {

	private static final Duration KEPT = Duration.ofMinutes(1);

	private final List<SourceSubscription> sources = new ArrayList<>();

	private final int quorum;

	private final LockClock clock;

	private final Map<String, Set<ReleaseWaiter>> waiters = new ConcurrentHashMap<>();

	// Run when the state may have changed, by those that ask whether waiters are
	// notified.
	private final Set<Runnable> questions = ConcurrentHashMap.newKeySet();

	// Written under this object's monitor; read by every attempt that waits.
	private volatile NotificationState state = NotificationState.PENDING;

	private volatile boolean idleScheduled;

	// When the last waiter has left.
	private volatile long idleSince;

	/**
	 * Create the notifications of one server.
	 * @param source the server
	 * @param checks how its subscription is checked, or {@code null} if the source
	 * notices by itself that it has fallen silent
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
	 * notice by themselves that one has fallen silent
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
	 * Create a waiter, which has not joined yet.
	 * @param key the key of the lock, as the sources name it
	 * @param wakeUp is run on any thread when another attempt is worth while
	 * @return the waiter
	 */
	public ReleaseWaiter waiter(String key, Runnable wakeUp) {
		return new ReleaseWaiter(this, key, wakeUp);
	}

	void add(ReleaseWaiter waiter) {
		this.waiters.compute(waiter.key(), (key, present) -> {
			Set<ReleaseWaiter> all = (present != null) ? present : ConcurrentHashMap.newKeySet();
			all.add(waiter);
			return all;
		});
	}

	void remove(ReleaseWaiter waiter) {
		this.waiters.computeIfPresent(waiter.key(), (key, all) -> {
			all.remove(waiter);
			return all.isEmpty() ? null : all;
		});
		becomeIdle();
	}

	/**
	 * Return whether there are waiters, or somebody asks.
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
	 * Subscribe anew, since releases may be missed although there are subscriptions.
	 * Waiters that rely on them are woken, and poll until there are new ones.
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
	 * Find out whether waiters are notified, and subscribe for that.
	 * @param timeout how long that may take
	 * @param explanation says why it could not be found out in time, or why it will not
	 * be, by the refusals of the sources and their index
	 * @return {@code true} once notifications are reliable, {@code false} if they never
	 * will be; completed exceptionally if too many sources refuse them, or after the
	 * timeout
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
		this.waiters.getOrDefault(key, Set.of()).forEach((waiter) -> waiter.released(source, this.quorum, this.clock));
	}

	/**
	 * Take note of the subscriptions that there are now.
	 * @param regained whether one is back after an interruption
	 */
	void changed(boolean regained) {
		boolean news;
		synchronized (this) {
			NotificationState before = this.state;
			this.state = count();
			news = this.state == NotificationState.RELIABLE && (before != NotificationState.RELIABLE || regained);
		}
		// Not under the monitor, since others go on from there.
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
	 * Take note that a waiter has left, perhaps the last one. Every attempt that would
	 * wait comes here when it is granted, mostly while there is no subscription.
	 */
	private void becomeIdle() {
		if (!isWanted()) {
			this.idleSince = this.clock.nanoTime();
			closeLater();
		}
	}

	private void closeLater() {
		if (this.idleScheduled || isWanted() || this.sources.stream().noneMatch(SourceSubscription::isOpen)) {
			return;
		}
		synchronized (this) {
			if (!this.idleScheduled) {
				this.idleScheduled = true;
				this.clock.schedule(KEPT, this::closeIfIdle);
			}
		}
	}

	private void closeIfIdle() {
		synchronized (this) {
			this.idleScheduled = false;
			// Whichever waiter is the last one will come back to this.
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
		// A waiter that has joined meanwhile may rely on what was ended. It is woken when
		// there is a new subscription.
		subscribe();
	}

	/**
	 * End the subscriptions for good. Questions are answered by {@code false}.
	 */
	public void close() {
		this.sources.forEach(SourceSubscription::stop);
		changed(false);
	}

}
