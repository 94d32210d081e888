package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.etcd.jetcd.ByteSequence;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockTarget;

/**
 * Finds out whether etcd lets this JVM watch the entries of a lock.
 */
final class EtcdWatchCheck {

	/**
	 * Long enough for a second try of the driver.
	 */
	private static final Duration SHORTEST_TIMEOUT = Duration.ofSeconds(1);

	private final EtcdRequests requests;

	private final EtcdKeys keys;

	private final LockClock clock;

	private final Duration timeout;

	EtcdWatchCheck(EtcdRequests requests, EtcdKeys keys, LockClock clock, Duration timeout) {
		this.requests = requests;
		this.keys = keys;
		this.clock = clock;
		this.timeout = (timeout.compareTo(SHORTEST_TIMEOUT) < 0) ? SHORTEST_TIMEOUT : timeout;
	}

	/**
	 * Begin a watch, and end it when etcd has acknowledged it.
	 * @return completed with {@code true} then, and exceptionally if etcd refuses it or
	 * does not answer
	 */
	CompletionStage<Boolean> check(LockTarget target) {
		ByteSequence queue = this.keys.queue(target.key());
		CompletableFuture<Boolean> acknowledged = new CompletableFuture<>();
		AtomicBoolean refusedBefore = new AtomicBoolean();
		EtcdLink.OpenWatch watch = this.requests.checkWatch(queue, () -> acknowledged.complete(true), (cause) -> {
			// Etcd refuses a watch with an old token as if a right were missing. The
			// driver logs in anew then, and tries again by itself.
			if (!EtcdFaults.isRefused(cause) || refusedBefore.getAndSet(true)) {
				acknowledged.completeExceptionally(EtcdFaults.explain(cause));
			}
		});
		LockClock.Timeout timer = this.clock.schedule(this.timeout, () -> acknowledged.completeExceptionally(
				new LockUnavailableException("The etcd of the locks has not acknowledged a watch in time")));
		acknowledged.whenComplete((done, fault) -> {
			timer.cancel();
			watch.close();
		});
		return acknowledged;
	}

}
