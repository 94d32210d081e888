package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockException;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.SeveralKeys;

/**
 * Acquires several keys, all or none, within one wait time: together if the store grants
 * them so, and otherwise one after the other. The order of the keys is the same for all
 * requests, so they never wait for each other in a circle. Keys that are held while the
 * next one is awaited are renewed.
 * <p>
 * A store that takes all keys in one attempt needs all of them free at the same time.
 * After some busy attempts the keys are therefore taken one by one, too.
 * <p>
 * The monitor of this object guards its fields. Queues and leases are called without it.
 */
final class SeveralKeysAcquisition {

	private static final int MOST_BUSY_ATTEMPTS = 8;

	private final EngineParts parts;

	private final LeaseAcquirer acquirer;

	private final ResolvedRequest request;

	private final long since;

	private final CompletableFuture<ManagedLease> result = new CompletableFuture<>();

	private final List<DefaultLease> held = new ArrayList<>();

	private @Nullable Waiter current;

	private boolean decided;

	SeveralKeysAcquisition(EngineParts parts, LeaseAcquirer acquirer, ResolvedRequest request) {
		this.parts = parts;
		this.acquirer = acquirer;
		this.request = request;
		this.since = parts.now();
	}

	ResolvedRequest request() {
		return this.request;
	}

	Duration waited() {
		return Duration.ofNanos(this.parts.now() - this.since);
	}

	/**
	 * Return a future that is completed with the lease, or with the reason why there is
	 * none. It is completed by this object only; see {@link #fail}.
	 */
	CompletableFuture<ManagedLease> result() {
		return this.result;
	}

	/**
	 * Begin.
	 * @param way how the store grants the keys
	 */
	void start(SeveralKeys way) {
		if (way == SeveralKeys.ONE_BY_ONE) {
			next();
		}
		else {
			boolean mayStarve = way == SeveralKeys.AT_ONCE && !this.request.isOneAttempt();
			await(this.request, mayStarve ? MOST_BUSY_ATTEMPTS : 0, this::onAnswerForAll);
		}
	}

	private void onAnswerForAll(@Nullable DefaultLease lease, @Nullable Throwable problem) {
		if (problem instanceof ContendedKeysException) {
			next();
		}
		else if (lease == null) {
			fail(problem);
		}
		else if (!decide() || !this.result.complete(lease)) {
			lease.end();
		}
	}

	/**
	 * Acquire the next key.
	 */
	private void next() {
		String key;
		synchronized (this) {
			key = this.request.target().keys().get(this.held.size());
		}
		Duration left = this.request.waitTime().minusNanos(this.parts.now() - this.since);
		await(this.request.part(key, left.isNegative() ? Duration.ZERO : left), 0, this::onAnswerForKey);
	}

	private void onAnswerForKey(@Nullable DefaultLease lease, @Nullable Throwable problem) {
		if (lease == null) {
			fail(problem);
			return;
		}
		boolean over;
		boolean complete;
		synchronized (this) {
			over = this.decided;
			if (!over) {
				this.held.add(lease);
			}
			complete = this.held.size() == this.request.target().keys().size();
		}
		if (over) {
			lease.end();
			return;
		}
		if (complete) {
			refresh();
			return;
		}
		lease.ended().thenAccept((stood) -> failUnlessDecided(lease));
		next();
	}

	private void failUnlessDecided(DefaultLease lease) {
		boolean over;
		synchronized (this) {
			over = this.decided;
		}
		if (!over) {
			fail(lostEarly(lease));
		}
	}

	private LockUnavailableException lostEarly(DefaultLease lease) {
		if (this.parts.calls().isStopped()) {
			return this.parts.calls().stopped();
		}
		return new LockUnavailableException("The lease on '" + lease.key() + "' was lost before all of "
				+ this.request.target().keys() + " were acquired: " + lease.lossReason());
	}

	/**
	 * Let the store keep the keys for a whole TTL from now on, if they will not be
	 * renewed and a part of it is gone. If it does not answer, the lease is shorter.
	 */
	private void refresh() {
		List<CompletableFuture<Void>> answers = this.request.lockRequest().isRenewed() ? List.of() : this.held.stream()
			.filter((lease) -> lease.remaining().compareTo(this.request.ttl().multipliedBy(9).dividedBy(10)) < 0)
			.map((lease) -> this.parts.renewals().verify(lease, this.request.ttl()))
			.toList();
		if (answers.isEmpty()) {
			combine();
			return;
		}
		CompletableFuture<Void> all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
		this.parts.clock().scheduleUnlessDone(all, this.request.overtime(), () -> all.complete(null));
		all.whenCompleteAsync((done, problem) -> {
			try {
				combine();
			}
			catch (Throwable ex) {
				fail(ex);
			}
		}, this.parts.threads());
	}

	private void await(ResolvedRequest wanted, int mostBusyAttempts, Answer onAnswer) {
		Waiter waiter = this.acquirer.enqueue(wanted, mostBusyAttempts);
		boolean late;
		synchronized (this) {
			this.current = waiter;
			late = this.decided;
		}
		if (late) {
			this.acquirer.giveUp(waiter, this.acquirer.cancelled(this.request));
		}
		// On another thread: with a store that answers at once, the stack would grow with
		// the number of keys.
		waiter.future().whenCompleteAsync((lease, problem) -> {
			try {
				onAnswer.accept(lease, problem);
			}
			catch (Throwable ex) {
				fail(ex);
			}
		}, this.parts.threads());
	}

	/**
	 * Combine the leases on all keys. One of them may have been lost meanwhile.
	 */
	private void combine() {
		LockLimits.Slot slot;
		try {
			slot = this.parts.gates().hold(this.request.lockRequest());
		}
		catch (LockLimitException ex) {
			fail(ex);
			return;
		}
		CombinedLease lease = new CombinedLease(this.parts, this.request.lockRequest(), this.held, slot);
		if (!lease.canBegin()) {
			lease.drop();
			fail(this.acquirer.ranOut(this.request));
			return;
		}
		if (!decide()) {
			lease.drop();
			return;
		}
		try {
			notifyAcquired(lease);
			lease.watch();
		}
		finally {
			this.result.complete(lease);
		}
	}

	private void notifyAcquired(CombinedLease lease) {
		String store = this.parts.backend().name();
		if (lease.isHandedOver()) {
			this.parts.listeners().handedOver(store, this.request.lockRequest(), lease, waited());
		}
		else {
			this.parts.listeners().acquired(store, this.request.lockRequest(), lease, waited());
		}
	}

	private synchronized boolean decide() {
		boolean first = !this.decided;
		this.decided = true;
		return first;
	}

	/**
	 * End without a lease, unless the outcome is decided already. Keys that are held are
	 * given back first.
	 * @param reason why
	 * @return whether the acquisition ends because of this
	 */
	boolean fail(@Nullable Throwable reason) {
		Throwable why = (reason != null) ? reason : new IllegalStateException("No outcome of an acquisition");
		Waiter waiting;
		List<DefaultLease> unused;
		synchronized (this) {
			if (this.decided) {
				return false;
			}
			this.decided = true;
			waiting = this.current;
			unused = List.copyOf(this.held);
		}
		if (waiting != null && why instanceof LockException exception) {
			this.acquirer.giveUp(waiting, exception);
		}
		unused.forEach(DefaultLease::disown);
		CompletableFuture.allOf(unused.stream().map(DefaultLease::end).toArray(CompletableFuture[]::new))
			.whenComplete((ended, problem) -> this.result.completeExceptionally(why));
		return true;
	}

	/**
	 * What follows from the outcome of one acquisition.
	 */
	@FunctionalInterface
	private interface Answer {

		void accept(@Nullable DefaultLease lease, @Nullable Throwable problem);

	}

}
