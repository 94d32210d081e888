package io.distributedlock.backend.etcd;

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

	private final PredecessorWatch watch;

	EtcdContender(LockTarget target, Runnable wakeUp, EtcdAttempt.Support support, PredecessorWatch watch) {
		super(target, wakeUp);
		this.support = support;
		this.watch = watch;
	}

	@Override
	public CompletionStage<AttemptOutcome> attempt(LeaseRequest request) {
		return new EtcdAttempt(this.support, this, request).start();
	}

	PredecessorWatch watch() {
		return this.watch;
	}

	@Override
	protected void stopWaiting(EtcdQueueEntry entry) {
		this.watch.end();
	}

	@Override
	protected void drop(EtcdQueueEntry entry) {
		this.support.givenUp().drop(entry);
	}

}
