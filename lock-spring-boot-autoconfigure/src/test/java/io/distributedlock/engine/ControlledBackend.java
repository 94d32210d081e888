package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;
import io.distributedlock.LockRefusedException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.BackendTraits;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockPage;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;
import io.distributedlock.spi.SeveralKeys;

/**
 * A store behind a network that the test controls. The network counts calls, keeps back
 * answers until they are let through, loses one, or fails every call. The store itself is
 * a real one.
 */
final class ControlledBackend implements LockBackend, BackendConnection {

	private final LockBackend backend;

	private BackendConnection store;

	private final List<Runnable> heldBack = new ArrayList<>();

	private boolean holding;

	private @Nullable RuntimeException fault;

	private boolean losing;

	private @Nullable Runnable duringNextAttempt;

	private Duration shorter = Duration.ZERO;

	private Runnable beforeForcedRelease = () -> {
	};

	final AtomicInteger attempts = new AtomicInteger();

	final AtomicInteger releases = new AtomicInteger();

	final AtomicInteger renewals = new AtomicInteger();

	final AtomicInteger renewedGrants = new AtomicInteger();

	final AtomicInteger contenders = new AtomicInteger();

	final AtomicInteger withdrawals = new AtomicInteger();

	final AtomicInteger abandoned = new AtomicInteger();

	final AtomicInteger starts = new AtomicInteger();

	final AtomicInteger stops = new AtomicInteger();

	final AtomicInteger pages = new AtomicInteger();

	volatile int pageSize = Integer.MAX_VALUE;

	// How several keys are granted, if not as the store does.
	volatile @Nullable SeveralKeys severalKeys;

	final List<LeaseRequest> requests = new ArrayList<>();

	private final List<LeaseGrant> grants = new ArrayList<>();

	private BackendListener news = (ownerId) -> {
	};

	ControlledBackend(LockBackend store) {
		this.backend = store;
		this.store = store.connect((ownerId) -> {
		});
	}

	/**
	 * Execute calls, but keep back the answers.
	 */
	synchronized void holdAnswers() {
		this.holding = true;
	}

	/**
	 * Return whether an answer is kept back.
	 */
	synchronized boolean isHoldingBack() {
		return !this.heldBack.isEmpty();
	}

	/**
	 * Let all answers through, in their order.
	 */
	void letThrough() {
		List<Runnable> answers;
		synchronized (this) {
			this.holding = false;
			answers = List.copyOf(this.heldBack);
			this.heldBack.clear();
		}
		answers.forEach(Runnable::run);
	}

	/**
	 * Fail every call before it reaches the store.
	 */
	synchronized void cutOff() {
		this.fault = new IllegalStateException("connection refused");
	}

	synchronized void restore() {
		this.fault = null;
	}

	/**
	 * Refuse every call permanently before it reaches the store.
	 */
	synchronized void refuse() {
		this.fault = new LockRefusedException("the user 'app' may not run 'del'", null);
	}

	/**
	 * Execute the next call, but lose its answer.
	 */
	synchronized void loseNextAnswer() {
		this.losing = true;
	}

	/**
	 * Run an action while the next attempt is under way, on the thread that makes it.
	 */
	void duringNextAttempt(Runnable action) {
		this.duringNextAttempt = action;
	}

	/**
	 * Run an action before a forced release reaches the store.
	 */
	void beforeForcedRelease(Runnable action) {
		this.beforeForcedRelease = action;
	}

	private void attempting(LeaseRequest request) {
		this.attempts.incrementAndGet();
		this.requests.add(request);
		Runnable action = this.duringNextAttempt;
		this.duringNextAttempt = null;
		if (action != null) {
			action.run();
		}
	}

	/**
	 * Take the lock away from the holder of the latest grant, without a notification.
	 */
	void forceReleaseSilently(String key) {
		LeaseRequest last = this.requests.get(this.requests.size() - 1);
		this.store.abandon(List.of(new Orphan(LockTarget.exclusive(key), last.ownerId())));
	}

	/**
	 * Take the latest grant away from its holders, without a notification.
	 */
	void takeLatestGrant() {
		LeaseGrant grant = this.grants.get(this.grants.size() - 1);
		this.store.abandon(List.of(new Orphan(grant.target(), grant.ownerId())));
	}

	/**
	 * Notify the engine that the latest grant is lost.
	 */
	void tellLost() {
		this.news.leaseLost(this.grants.get(this.grants.size() - 1).ownerId());
	}

	/**
	 * Notify the engine that another client waits for the latest grant.
	 */
	void tellWanted(Duration pollAfter) {
		this.news.contended(this.grants.get(this.grants.size() - 1), pollAfter);
	}

	/**
	 * Notify the engine that another client waits for the grant before the latest.
	 */
	void tellWantedBefore(Duration pollAfter) {
		this.news.contended(this.grants.get(this.grants.size() - 2), pollAfter);
	}

	/**
	 * Shorten the validity of the next grant.
	 */
	void shortenNextGrant(Duration by) {
		this.shorter = by;
	}

	private AttemptOutcome noted(AttemptOutcome outcome) {
		if (!(outcome instanceof AttemptOutcome.Granted granted)) {
			return outcome;
		}
		LeaseGrant grant = granted.grant().renewed(granted.grant().validUntil() - this.shorter.toNanos());
		this.shorter = Duration.ZERO;
		this.grants.add(grant);
		return new AttemptOutcome.Granted(grant);
	}

	private synchronized <T> CompletionStage<T> answer(Supplier<CompletionStage<T>> call) {
		if (this.fault != null) {
			return CompletableFuture.failedStage(this.fault);
		}
		CompletionStage<T> stage = call.get();
		if (this.losing) {
			this.losing = false;
			return CompletableFuture.failedStage(new IllegalStateException("connection reset"));
		}
		if (!this.holding) {
			return stage;
		}
		CompletableFuture<T> late = new CompletableFuture<>();
		this.heldBack.add(() -> stage.whenComplete((value, failure) -> late.complete(value)));
		return late;
	}

	@Override
	public String name() {
		return "controlled";
	}

	@Override
	public BackendTraits traits() {
		return this.backend.traits();
	}

	@Override
	public BackendConnection connect(BackendListener listener) {
		this.starts.incrementAndGet();
		this.news = listener;
		this.store = this.backend.connect(listener);
		return this;
	}

	@Override
	public void close() {
		this.stops.incrementAndGet();
		this.store.close();
	}

	@Override
	public SeveralKeys severalKeys(LockTarget target) {
		return (this.severalKeys != null) ? this.severalKeys : this.store.severalKeys(target);
	}

	@Override
	public Contender contend(LockTarget target, Runnable wakeUp) {
		this.contenders.incrementAndGet();
		Contender contender = this.store.contend(target, wakeUp);
		return new Contender() {

			@Override
			public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
				attempting(request);
				return answer(() -> contender.attempt(request).thenApply(ControlledBackend.this::noted));
			}

			@Override
			public void withdraw() {
				ControlledBackend.this.withdrawals.incrementAndGet();
				contender.withdraw();
			}

		};
	}

	@Override
	public CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		this.renewals.incrementAndGet();
		this.renewedGrants.addAndGet(renewals.size());
		return answer(() -> this.store.renew(renewals));
	}

	@Override
	public CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown) {
		this.releases.incrementAndGet();
		return answer(() -> this.store.release(grant, cooldown));
	}

	@Override
	public CompletionStage<Void> abandon(List<Orphan> orphans) {
		this.abandoned.addAndGet(orphans.size());
		return answer(() -> this.store.abandon(orphans));
	}

	@Override
	public CompletionStage<Optional<LockInfo>> find(String key) {
		return this.store.find(key);
	}

	@Override
	public CompletionStage<LockPage> list(@Nullable String next, int limit) {
		this.pages.incrementAndGet();
		return answer(() -> this.store.list(next, Math.min(limit, this.pageSize)));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(String key, Duration cooldown) {
		this.beforeForcedRelease.run();
		return this.store.forceRelease(key, cooldown);
	}

}
