package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockException;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.OwnerId;

/**
 * Acquires and releases a lease on a key that no other process uses, to find out whether
 * the store grants leases, and how long it takes. Blocks no thread.
 */
final class StoreProbeCall {

	private final LockEngine engine;

	private final LockTarget target = LockTarget.exclusive("lock-probe:" + OwnerId.random().value());

	StoreProbeCall(LockEngine engine) {
		this.engine = engine;
	}

	/**
	 * Probe the store.
	 * @return the time that it took to answer the acquisition
	 */
	CompletionStage<Duration> run() {
		Contender contender = this.engine.open().contend(this.target, () -> {
		});
		OwnerId ownerId = OwnerId.random();
		Duration ttl = this.engine.settings().ttl();
		LeaseRequest request = new LeaseRequest(ownerId, ttl, 1, null, false, this.engine.settings().callTimeout(ttl),
				Duration.ZERO);
		long begin = this.engine.clock().nanoTime();
		CompletableFuture<Duration> result = new CompletableFuture<>();
		this.engine.ask((store) -> contender.attempt(request)).whenComplete((outcome, failure) -> {
			Duration taken = Duration.ofNanos(this.engine.clock().nanoTime() - begin);
			if (outcome == null) {
				giveUp(contender, ownerId);
				result.completeExceptionally(fault(CompletionCauses.unwrap(failure)));
			}
			else if (outcome instanceof AttemptOutcome.Unavailable unavailable) {
				giveUp(contender, ownerId);
				result.completeExceptionally(fault(unavailable.cause()));
			}
			else {
				// A busy lock is that of an earlier probe whose release was not answered.
				result.complete(taken);
				if (outcome instanceof AttemptOutcome.Granted granted) {
					var unused = this.engine.ask((store) -> store.release(granted.grant(), Duration.ZERO));
				}
				else {
					contender.withdraw();
				}
			}
		});
		return result;
	}

	private void giveUp(Contender contender, OwnerId ownerId) {
		contender.withdraw();
		if (this.engine.isRunning()) {
			var unused = this.engine
				.ask((store) -> store.abandon(List.of(new Orphan(this.target, ownerId))).thenApply((done) -> true));
		}
	}

	private static LockException fault(Throwable cause) {
		return (cause instanceof LockException already) ? already
				: new LockUnavailableException(String.valueOf(cause.getMessage()), cause);
	}

}
