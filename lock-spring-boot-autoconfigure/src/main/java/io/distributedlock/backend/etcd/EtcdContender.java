package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;

/**
 * A claim that keeps its place in line: the first attempt that waits takes it, the later
 * ones look at it. What stands before the place is watched, and the place itself.
 */
final class EtcdContender implements Contender {

	private static final Duration WATCH_AGAIN = Duration.ofMillis(500);

	private final LockTarget target;

	private final Runnable wakeUp;

	private final Supplier<Operation> operation;

	private final LockClock clock;

	// All of these are guarded by the monitor. Etcd is not called while it is held.
	private @Nullable Place place;

	private @Nullable Obstacle obstacle;

	private @Nullable KeyWatch ownWatch;

	private @Nullable KeyWatch obstacleWatch;

	private boolean inGrace;

	private long graceUntil;

	private boolean withdrawn;

	EtcdContender(LockTarget target, Runnable wakeUp, Supplier<Operation> operation, LockClock clock) {
		this.target = target;
		this.wakeUp = wakeUp;
		this.operation = operation;
		this.clock = clock;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		Operation current;
		try {
			current = this.operation.get();
		}
		catch (LockUnavailableException ex) {
			return CompletableFuture.completedFuture(new AttemptOutcome.Unavailable(ex, false));
		}
		return new Attempt(current, this, request, this.clock).begin();
	}

	LockTarget target() {
		return this.target;
	}

	Runnable wakeUp() {
		return this.wakeUp;
	}

	/**
	 * Return the place that an earlier attempt has taken, if there is one.
	 */
	synchronized @Nullable Place place() {
		return this.place;
	}

	/**
	 * Return what stood before the place when it was looked at last.
	 */
	synchronized @Nullable Obstacle obstacle() {
		return this.obstacle;
	}

	/**
	 * Keep a place and wait until what is in its way has gone.
	 * @return {@code false} where nobody waits any more
	 */
	boolean keep(Operation current, Place kept, View view) {
		KeyValue before = view.before();
		KeyValue cooldown = view.cooldown();
		Obstacle next = (before != null) ? Obstacle.place(before)
				: (cooldown != null) ? Obstacle.cooldown(cooldown) : null;
		KeyWatch ownWatch = null;
		KeyWatch nextWatch = null;
		KeyWatch former = null;
		synchronized (this) {
			if (this.withdrawn) {
				return false;
			}
			this.place = kept;
			if (this.ownWatch == null || !this.ownWatch.isOf(kept.name())) {
				ownWatch = new KeyWatch(kept.name(), (revision) -> this.wakeUp.run(), this::wakeUpLater);
				this.ownWatch = ownWatch;
			}
			if (next != null && (this.obstacleWatch == null || !this.obstacleWatch.isOf(next.name()))) {
				nextWatch = new KeyWatch(next.name(), (revision) -> onGone(next, revision), this::wakeUpLater);
				former = this.obstacleWatch;
				this.obstacleWatch = nextWatch;
				this.obstacle = next;
				this.inGrace = false;
			}
		}
		if (former != null) {
			former.end();
		}
		kept.session().attend();
		if (ownWatch != null) {
			ownWatch.begin(current.requests().link(), view.revision() + 1);
		}
		if (nextWatch != null) {
			nextWatch.begin(current.requests().link(), view.revision() + 1);
		}
		return true;
	}

	private void onGone(Obstacle gone, long revision) {
		synchronized (this) {
			if (gone.equals(this.obstacle)) {
				this.obstacle = gone.gone(revision);
			}
		}
		this.wakeUp.run();
	}

	/**
	 * Wake the waiter to look by itself, since a watch has ended.
	 */
	private void wakeUpLater() {
		this.clock.schedule(WATCH_AGAIN, this.wakeUp);
	}

	/**
	 * Return how long a place that is the first has to wait all the same: where the
	 * holder before it has gone together with its session, and may not know it yet.
	 */
	synchronized Duration grace(View view) {
		Obstacle former = this.obstacle;
		if (former == null) {
			return Duration.ZERO;
		}
		if (!this.inGrace && view.vanished()) {
			this.inGrace = true;
			this.graceUntil = this.clock.nanoTime() + former.grace().toNanos();
		}
		return this.inGrace ? Duration.ofNanos(Math.max(0, this.graceUntil - this.clock.nanoTime())) : Duration.ZERO;
	}

	/**
	 * Give up the place here, whatever becomes of it at the store.
	 */
	@Nullable Place forget() {
		Place former;
		KeyWatch own;
		KeyWatch other;
		synchronized (this) {
			former = this.place;
			own = this.ownWatch;
			other = this.obstacleWatch;
			this.place = null;
			this.obstacle = null;
			this.ownWatch = null;
			this.obstacleWatch = null;
			this.inGrace = false;
		}
		if (own != null) {
			own.end();
		}
		if (other != null) {
			other.end();
		}
		return former;
	}

	@Override
	public void withdraw() {
		synchronized (this) {
			this.withdrawn = true;
		}
		Place former = forget();
		if (former != null) {
			former.operation().givenUp().drop(former);
		}
	}

}
