package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockObserver;

/**
 * A lease on several keys, each of which has a grant of its own. It is held while all its
 * parts are. If one of them is lost, this lease is lost, and the others are given back.
 * <p>
 * The monitor of this object guards its state. Parts are ended without it.
 */
final class CombinedLease implements ManagedLease {

	private enum State {

		HELD, RELEASED, LOST

	}

	private final EngineParts parts;

	private final LockRequest request;

	// In the order of the keys.
	private final List<DefaultLease> leases;

	private final long acquiredAt;

	private final LeaseTracking tracking;

	private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	private volatile State state = State.HELD;

	private volatile @Nullable DefaultLease lost;

	private List<Consumer<? super Lease>> lossListeners = List.of();

	/**
	 * Create a lease of parts that are held.
	 * @param slot its place among the limits, if there are any
	 */
	CombinedLease(EngineParts parts, LockRequest request, List<DefaultLease> leases, LockLimits.@Nullable Slot slot) {
		this.parts = parts;
		this.request = request;
		this.leases = List.copyOf(leases);
		this.acquiredAt = parts.now();
		this.tracking = new LeaseTracking(slot);
	}

	/**
	 * Begin to watch the parts. A part that was lost before ends this lease now. A part
	 * that ends in any other way has been released by the watchdog, because no caller has
	 * this lease.
	 */
	void watch() {
		this.leases.forEach((lease) -> lease.joinWhole(this));
		Duration minHold = this.request.getMinHold();
		if (minHold != null) {
			raiseMinHold(minHold);
		}
		this.leases.forEach((lease) -> lease.ended().thenAccept((stood) -> {
			if (lease.isLost()) {
				lose(lease);
			}
			else {
				end();
			}
		}));
	}

	boolean startsWith(DefaultLease lease) {
		return this.leases.get(0) == lease;
	}

	/**
	 * Free the place among the limits, because this lease is not used.
	 */
	void drop() {
		this.tracking.freeSlot();
	}

	private void lose(DefaultLease first) {
		List<Consumer<? super Lease>> listeners;
		synchronized (this) {
			if (this.state != State.HELD) {
				return;
			}
			this.lost = first;
			this.state = State.LOST;
			listeners = this.lossListeners;
		}
		this.tracking.freeSlot();
		this.ended.complete(false);
		this.leases.forEach(DefaultLease::end);
		LossReason reason = reasonOf(first);
		this.parts.lifecycle().notifyLossListeners(this, listeners);
		this.parts.listeners().lost(this.parts.backend().name(), this.request, this, reason, heldFor());
	}

	private static LossReason reasonOf(DefaultLease lease) {
		LossReason reason = lease.lossReason();
		return (reason != null) ? reason : LossReason.EXPIRED;
	}

	private Duration heldFor() {
		return Duration.ofNanos(this.parts.now() - this.acquiredAt);
	}

	@Override
	public LockMode mode() {
		return this.request.getMode();
	}

	@Override
	public String key() {
		throw new IllegalStateException(LockKeys.printable("This lease has several keys: " + keys()));
	}

	@Override
	public List<String> keys() {
		return this.request.getKeys();
	}

	@Override
	public long fencingToken() {
		return fencingToken(key());
	}

	@Override
	public long fencingToken(String key) {
		int index = keys().indexOf(key);
		if (index < 0) {
			throw new IllegalArgumentException(
					LockKeys.printable("This lease is on " + keys() + ", not on '" + key + "'"));
		}
		return this.leases.get(index).fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.state == State.HELD && this.leases.stream().allMatch(DefaultLease::isHeld);
	}

	@Override
	public boolean canBegin() {
		return this.state == State.HELD && this.leases.stream().allMatch(DefaultLease::canBegin);
	}

	@Override
	public boolean isHandedOver() {
		return this.leases.stream().allMatch(DefaultLease::isHandedOver);
	}

	@Override
	public Duration remaining() {
		return isHeld() ? this.leases.stream().map(DefaultLease::remaining).min(Comparator.naturalOrder()).orElseThrow()
				: Duration.ZERO;
	}

	@Override
	public void verify() {
		requireHeld();
		this.leases.forEach(DefaultLease::verify);
	}

	@Override
	public void extend(Duration atLeast) {
		requireHeld();
		this.leases.forEach((lease) -> lease.extend(atLeast));
	}

	private void requireHeld() {
		if (this.state == State.RELEASED) {
			throw new IllegalStateException(LockKeys.printable("The lease on " + keys() + " was released"));
		}
		if (this.state == State.LOST) {
			throw lostException();
		}
	}

	@Override
	public void onLost(Consumer<? super Lease> listener) {
		synchronized (this) {
			if (this.state == State.HELD) {
				List<Consumer<? super Lease>> more = new ArrayList<>(this.lossListeners);
				more.add(listener);
				this.lossListeners = more;
				return;
			}
			if (this.state == State.RELEASED) {
				return;
			}
		}
		this.parts.lifecycle().notifyLossListeners(this, List.of(listener));
	}

	@Override
	public boolean release() {
		this.tracking.endByHolder();
		try {
			end();
			boolean stood = this.state != State.LOST;
			for (DefaultLease lease : this.leases) {
				stood &= this.parts.lifecycle().awaitEnd(lease);
			}
			return stood;
		}
		finally {
			this.tracking.end(this.lossReason());
		}
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return end().thenApplyAsync((stood) -> stood, this.parts.threads());
	}

	@Override
	public void close() {
		if (!release() && isLost()) {
			throw lostException();
		}
	}

	@Override
	public CompletableFuture<Boolean> end() {
		boolean released = false;
		if (this.state == State.HELD) {
			// A part that is past its deadline is lost, and with it this lease.
			long now = this.parts.now();
			this.leases.forEach((lease) -> lease.expireIfOver(now));
		}
		synchronized (this) {
			if (this.state == State.HELD) {
				this.state = State.RELEASED;
				released = true;
			}
		}
		if (released) {
			this.tracking.freeSlot();
			Duration heldFor = heldFor();
			List<CompletableFuture<Boolean>> answers = this.leases.stream().map(DefaultLease::ended).toList();
			// First: if a part can't be ended here, the watchdog ends it.
			CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).thenAccept((all) -> {
				if (this.ended.complete(answers.stream().allMatch(CompletableFuture::join))) {
					report(heldFor);
				}
			});
			this.leases.forEach(DefaultLease::end);
		}
		return this.ended;
	}

	/**
	 * Report the end of a lease that was released. The store may have answered that a
	 * part had been lost before.
	 */
	private void report(Duration heldFor) {
		String store = this.parts.backend().name();
		DefaultLease gone = lostPart();
		if (gone != null) {
			this.parts.listeners().lost(store, this.request, this, reasonOf(gone), heldFor);
		}
		else {
			this.parts.listeners().released(store, this.request, this, heldFor);
		}
	}

	/**
	 * Return the part with which this lease was lost. Those who wait for the answers to a
	 * release may continue before this object has processed them, so the parts are asked.
	 */
	private @Nullable DefaultLease lostPart() {
		DefaultLease first = this.lost;
		return (first != null || this.state == State.HELD) ? first
				: this.leases.stream().filter(DefaultLease::isLost).findFirst().orElse(null);
	}

	@Override
	public void disown() {
		this.leases.forEach(DefaultLease::disown);
	}

	@Override
	public void stopRenewal() {
		this.leases.forEach(DefaultLease::stopRenewal);
	}

	@Override
	public void observe(LockObserver.Hold hold) {
		this.tracking.observe(this.ended, hold, this.parts.threads(), this::lossReason);
	}

	@Override
	public LockObserver.BodyScope openScope() {
		return this.tracking.openScope();
	}

	@Override
	public void raiseMinHold(Duration atLeast) {
		// The parts are older than this lease.
		this.leases.forEach((lease) -> lease.raiseMinHold(atLeast.plus(lease.heldFor(this.acquiredAt))));
	}

	@Override
	public void raiseCooldown(Duration atLeast) {
		this.leases.forEach((lease) -> lease.raiseCooldown(atLeast));
	}

	@Override
	public boolean isLost() {
		return lostPart() != null;
	}

	private @Nullable LossReason lossReason() {
		DefaultLease first = lostPart();
		return (first != null) ? reasonOf(first) : null;
	}

	@Override
	public LeaseLostException lostException() {
		DefaultLease first = lostPart();
		if (first == null) {
			first = this.leases.stream().filter((lease) -> !lease.isHeld()).findFirst().orElse(this.leases.get(0));
		}
		return first.lostException();
	}

	@Override
	public String toString() {
		return LockKeys.printable("Lease" + keys() + "[" + this.state + "]");
	}

}
