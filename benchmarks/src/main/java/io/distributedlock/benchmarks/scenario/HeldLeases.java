package io.distributedlock.benchmarks.scenario;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;

/**
 * Many leases of keys of their own that are taken and given back by the asynchronous API.
 */
final class HeldLeases {

	private static final int IN_FLIGHT = 128;

	private static final Duration WAIT_TIME = Duration.ofMinutes(1);

	private final LockTemplate template;

	private final String[] keys;

	private final AtomicReferenceArray<@Nullable Lease> leases;

	/**
	 * Create leases that are not yet taken. All memory that this object needs is
	 * allocated here.
	 * @param template the locks
	 * @param keys the begin of all keys
	 * @param count the number of leases
	 */
	HeldLeases(LockTemplate template, String keys, int count) {
		this.template = template;
		this.keys = new String[count];
		this.leases = new AtomicReferenceArray<>(count);
		for (int i = 0; i < count; i++) {
			this.keys[i] = keys + "-" + i;
		}
	}

	/**
	 * Take all leases.
	 * @param options completes each request
	 * @throws InterruptedException if interrupted
	 */
	void acquire(UnaryOperator<LockRequest> options) throws InterruptedException {
		InFlight inFlight = new InFlight();
		for (int i = 0; i < this.keys.length; i++) {
			int index = i;
			LockRequest request = options.apply(LockRequest.of(this.keys[i]).waitTime(WAIT_TIME));
			inFlight
				.add(() -> this.template.acquireAsync(request).thenAccept((lease) -> this.leases.set(index, lease)));
		}
		inFlight.await();
	}

	/**
	 * Return how many of the leases are gone.
	 * @return the number of leases that are not held
	 */
	int lost() {
		int lost = 0;
		for (int i = 0; i < this.keys.length; i++) {
			Lease lease = this.leases.get(i);
			lost += (lease != null && lease.isHeld()) ? 0 : 1;
		}
		return lost;
	}

	/**
	 * Give all leases back, and forget them.
	 * @throws InterruptedException if interrupted
	 */
	void release() throws InterruptedException {
		InFlight inFlight = new InFlight();
		for (int i = 0; i < this.keys.length; i++) {
			Lease lease = this.leases.getAndSet(i, null);
			if (lease != null) {
				inFlight.add(lease::releaseAsync);
			}
		}
		inFlight.await();
	}

	/**
	 * Take one lock after the other, and give each of them back at once.
	 * @param limit how long at most
	 * @return the number of locks
	 * @throws InterruptedException if interrupted
	 */
	int pass(Duration limit) throws InterruptedException {
		InFlight inFlight = new InFlight();
		long end = System.nanoTime() + limit.toNanos();
		int passed = 0;
		for (; passed < this.keys.length && System.nanoTime() - end < 0; passed++) {
			LockRequest request = LockRequest.of(this.keys[passed]).waitTime(WAIT_TIME);
			inFlight.add(() -> this.template.acquireAsync(request).thenCompose(Lease::releaseAsync));
		}
		inFlight.await();
		return passed;
	}

	/**
	 * Limits the number of calls under way.
	 */
	private static final class InFlight {

		private final Semaphore permits = new Semaphore(IN_FLIGHT);

		private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();

		void add(Call call) throws InterruptedException {
			this.permits.acquire();
			call.start().whenComplete((result, ex) -> {
				if (ex != null) {
					this.fault.compareAndSet(null, ex);
				}
				this.permits.release();
			});
		}

		void await() throws InterruptedException {
			this.permits.acquire(IN_FLIGHT);
			Throwable thrown = this.fault.get();
			if (thrown != null) {
				throw new IllegalStateException("A call failed", thrown);
			}
		}

	}

	/**
	 * A call that begins when it may.
	 */
	@FunctionalInterface
	private interface Call {

		CompletionStage<?> start();

	}

}
