package io.distributedlock.epoch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.contract.CutOffBackend;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockBackend;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance of an application with an epoch. Its machine can be suspended separately.
 */
final class EpochInstance {

	static final String STORE = "shop-db";

	private final VirtualLockClock time;

	private final CutOffBackend connection;

	private final TokenEpochBackend backend;

	private BackendConnection store;

	private final List<LeaseGrant> wanted = new ArrayList<>();

	// How long the monotonic clock has stood still.
	private long suspendedNanos;

	EpochInstance(VirtualLockClock time, LockBackend store, int epoch) {
		this(time, store, epoch, TokenEpochCheck.WAIT);
	}

	EpochInstance(VirtualLockClock time, LockBackend store, int epoch, Duration wait) {
		this.time = time;
		this.connection = new CutOffBackend(store);
		this.backend = TokenEpochBackend.checked(STORE, this.connection, new TokenEpoch(epoch), new MachineClock(),
				wait);
		this.store = connect();
	}

	private BackendConnection connect() {
		return this.backend.connect(new BackendListener() {

			@Override
			public void leaseLost(OwnerId ownerId) {
			}

			@Override
			public void contended(LeaseGrant grant, Duration pollAfter) {
				EpochInstance.this.wanted.add(grant);
			}

		});
	}

	/**
	 * Stop, and start again.
	 */
	void restart() {
		this.store.close();
		this.store = connect();
	}

	BackendConnection store() {
		return this.store;
	}

	CutOffBackend connection() {
		return this.connection;
	}

	List<LeaseGrant> wanted() {
		return this.wanted;
	}

	/**
	 * Let the monotonic clock of this machine stand still for a time that has passed on
	 * all other machines.
	 */
	void suspended(Duration duration) {
		this.suspendedNanos += duration.toNanos();
	}

	CompletionStage<AttemptOutcome> send(String key) {
		return this.store.contend(LockTarget.exclusive(key), () -> {
		}).attempt(request(1, false));
	}

	static LeaseRequest request(int span, boolean waiting) {
		return new LeaseRequest(OwnerId.random(), Duration.ofSeconds(30), span, null, waiting, Duration.ofSeconds(2),
				Duration.ZERO);
	}

	/**
	 * Make an attempt on a store that answers immediately.
	 */
	AttemptOutcome attempt(String key) {
		CompletionStage<AttemptOutcome> outcome = send(key);
		assertThat(outcome.toCompletableFuture()).as("an attempt on '%s'", key).isCompleted();
		return outcome.toCompletableFuture().join();
	}

	/**
	 * Make an attempt that fails, and return the cause.
	 */
	Throwable failure(String key) {
		AttemptOutcome outcome = attempt(key);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Unavailable.class);
		return ((AttemptOutcome.Unavailable) outcome).cause();
	}

	LeaseGrant acquire(String key) {
		AttemptOutcome outcome = attempt(key);
		assertThat(outcome).isInstanceOf(AttemptOutcome.Granted.class);
		return ((AttemptOutcome.Granted) outcome).grant();
	}

	boolean release(LeaseGrant grant) {
		return this.store.release(grant, Duration.ZERO).toCompletableFuture().join();
	}

	/**
	 * Acquire and release, and return the token.
	 */
	long run(String key) {
		LeaseGrant grant = acquire(key);
		assertThat(release(grant)).as("whether '%s' was released", key).isTrue();
		return grant.token().first();
	}

	static int epochOf(long token) {
		return (int) (token >> 56);
	}

	/**
	 * The clocks of the machine.
	 */
	private final class MachineClock implements LockClock {

		@Override
		public long nanoTime() {
			return EpochInstance.this.time.nanoTime() - EpochInstance.this.suspendedNanos;
		}

		@Override
		public long wallMillis() {
			return EpochInstance.this.time.wallMillis();
		}

		@Override
		public Timeout schedule(Duration delay, Runnable task) {
			return EpochInstance.this.time.schedule(delay, task);
		}

	}

}
