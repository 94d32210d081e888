package io.distributedlock.backend.etcd;

import java.time.Instant;
import java.util.List;

import io.etcd.jetcd.KeyValue;
import org.jspecify.annotations.Nullable;

import io.distributedlock.LockUnavailableException;

/**
 * What one transaction shows of the queues for all keys of a request. The request has the
 * locks when nothing is in its way in any of them.
 *
 * @param queues the queues, in the order of the keys
 */
record EtcdLook(List<EtcdQueueSnapshot> queues) {

	/**
	 * Return whether all entries exist that one transaction has put there.
	 * @param revision the revision of that transaction
	 */
	boolean isComplete(long revision) {
		return this.queues.stream().allMatch((queue) -> queue.own() == revision);
	}

	/**
	 * Return whether none of the entries exists.
	 */
	boolean isGone() {
		return this.queues.stream().allMatch((queue) -> queue.own() == 0);
	}

	boolean isInTheWay() {
		return this.queues.stream().anyMatch((queue) -> queue.ahead().isInTheWay());
	}

	/**
	 * Return whether there are entries to watch that were not shown.
	 */
	boolean isPartlyShown() {
		return this.queues.stream().anyMatch((queue) -> queue.ahead().isInTheWay() && queue.ahead().isPartlyShown());
	}

	/**
	 * Return the queue for the last key, to which the tick belongs.
	 */
	EtcdQueueSnapshot last() {
		return this.queues.get(this.queues.size() - 1);
	}

	/**
	 * Return the fault of a key that is taken, because something is stored there that
	 * this version does not understand.
	 * @param entry the entry of the request
	 * @param wanted the tick whose run is asked for, if any
	 * @return the fault, or {@code null}
	 */
	@Nullable LockUnavailableException notUnderstood(EtcdQueueEntry entry, @Nullable Instant wanted) {
		for (int i = 0; i < this.queues.size(); i++) {
			EtcdQueueSnapshot queue = this.queues.get(i);
			KeyValue unknown = queue.notUnderstood((queue == last()) ? wanted : null);
			if (unknown != null) {
				return EtcdFaults.notUnderstood(entry.places().get(i).key(), unknown);
			}
		}
		return null;
	}

}
