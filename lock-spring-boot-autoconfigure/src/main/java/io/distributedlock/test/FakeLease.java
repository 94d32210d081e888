package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.ExtensionBounds;

/**
 * A lease without a store. It behaves as the interface specifies, with two differences
 * for unit tests: time does not pass for it, and loss listeners run on the thread that
 * calls {@link #lose()}, before that returns.
 *
 * @since 0.1.0
 */
public final class FakeLease implements Lease {

	private enum State {

		HELD, RELEASED, LOST

	}

	private final String key;

	private final long token;

	// The fields below are guarded by this object's monitor; listeners run without it.
	private final List<Consumer<? super Lease>> lossListeners = new ArrayList<>();

	private State state = State.HELD;

	private LossReason reason = LossReason.EXPIRED;

	private Duration remaining = Duration.ofSeconds(30);

	FakeLease(String key, long token) {
		this.key = LockRequest.of(key).getKeys().get(0);
		this.token = token;
	}

	/**
	 * Lose this lease as if it had expired. Has no effect once it has ended.
	 */
	public void lose() {
		lose(LossReason.EXPIRED);
	}

	/**
	 * Lose this lease. Has no effect once it has ended.
	 * @param why the reason that exceptions report
	 */
	public void lose(LossReason why) {
		List<Consumer<? super Lease>> told;
		synchronized (this) {
			if (this.state != State.HELD) {
				return;
			}
			this.state = State.LOST;
			this.reason = why;
			told = List.copyOf(this.lossListeners);
		}
		told.forEach((listener) -> listener.accept(this));
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public List<String> keys() {
		return List.of(this.key);
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public long fencingToken(String key) {
		if (!this.key.equals(key)) {
			throw new IllegalArgumentException(
					LockKeys.printable("This lease is on '" + this.key + "', not on '" + key + "'"));
		}
		return this.token;
	}

	@Override
	public synchronized boolean isHeld() {
		return this.state == State.HELD;
	}

	/**
	 * Return 30 seconds, or more if the lease was extended by more.
	 */
	@Override
	public synchronized Duration remaining() {
		return isHeld() ? this.remaining : Duration.ZERO;
	}

	@Override
	public synchronized void verify() {
		if (this.state == State.RELEASED) {
			throw new IllegalStateException("The lease on '" + LockKeys.printable(this.key) + "' was released");
		}
		if (this.state == State.LOST) {
			throw lostException();
		}
	}

	@Override
	public synchronized void extend(Duration atLeast) {
		ExtensionBounds.check(keys(), atLeast);
		verify();
		if (atLeast.compareTo(this.remaining) > 0) {
			this.remaining = atLeast;
		}
	}

	@Override
	public void onLost(Consumer<? super Lease> listener) {
		synchronized (this) {
			if (this.state == State.HELD) {
				this.lossListeners.add(listener);
			}
			if (this.state != State.LOST) {
				return;
			}
		}
		listener.accept(this);
	}

	@Override
	public synchronized boolean release() {
		if (this.state == State.HELD) {
			this.state = State.RELEASED;
		}
		return this.state == State.RELEASED;
	}

	@Override
	public CompletionStage<Boolean> releaseAsync() {
		return CompletableFuture.completedFuture(release());
	}

	@Override
	public void close() {
		if (!release()) {
			throw lostException();
		}
	}

	private synchronized LeaseLostException lostException() {
		return new LeaseLostException(this.key, this.reason,
				"The lease on '" + this.key + "' was lost before it was released: " + this.reason);
	}

	@Override
	public synchronized String toString() {
		return LockKeys.printable("FakeLease[" + this.key + "][token=" + this.token + ", " + this.state + "]");
	}

}
