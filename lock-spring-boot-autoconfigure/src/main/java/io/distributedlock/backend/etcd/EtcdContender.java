package io.distributedlock.backend.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.backend.session.QueueContender;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

/**
 * Contends for a lock with an entry in its queue.
 */
final class EtcdContender extends QueueContender<EtcdQueueEntry> {

	private final EtcdAttempt.Support support;

	private final PredecessorWatches watches;

	EtcdContender(LockTarget target, Runnable wakeUp, EtcdAttempt.Support support, PredecessorWatches watches) {
		super(target, wakeUp);
		this.support = support;
		this.watches = watches;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		if (target().keys().size() > EtcdTxn.BATCH) {
			return CompletableFuture
				.completedStage(new AttemptOutcome.Unavailable(EtcdFaults.tooManyKeys(target()), false));
		}
		return new EtcdAttempt(this.support, this, request).start();
	}

	PredecessorWatches watches() {
		return this.watches;
	}

	@Override
	protected void stopWaiting(EtcdQueueEntry entry) {
		this.watches.end();
	}

	@Override
	protected void drop(EtcdQueueEntry entry) {
		this.support.givenUp().drop(entry);
	}

}
