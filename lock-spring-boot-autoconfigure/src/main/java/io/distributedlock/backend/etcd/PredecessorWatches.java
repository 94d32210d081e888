package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Watches what is before a waiter in the queues for all of its keys. The waiter is woken
 * each time one of the keys may have become free.
 *
 * @param watches the watches, in the order of the keys
 */
record PredecessorWatches(List<PredecessorWatch> watches) {

	/**
	 * Return the sessions to look for, see {@link PredecessorWatch#sessions}. If there
	 * are entries of one session in several queues, it is looked for at the latest
	 * deletion of one of them.
	 */
	Map<Long, Long> sessions() {
		Map<Long, Long> sessions = new LinkedHashMap<>();
		this.watches.forEach((watch) -> watch.sessions()
			.forEach((lease, revision) -> sessions.merge(lease, revision, SeenPredecessor::later)));
		return sessions;
	}

	void forgetRevisions() {
		this.watches.forEach(PredecessorWatch::forgetRevisions);
	}

	/**
	 * Take note of what a look has shown.
	 * @return {@code false} if it is still unknown of an entry that is gone how it went
	 */
	boolean note(EtcdLook look) {
		boolean sure = true;
		for (int i = 0; i < this.watches.size(); i++) {
			sure &= this.watches.get(i).note(look.queues().get(i));
		}
		return sure;
	}

	/**
	 * Return how long a request that no entry keeps from its locks still has to wait, see
	 * {@link PredecessorWatch#grace}.
	 */
	Duration grace(EtcdQueueEntry own, EtcdLook look) {
		return IntStream.range(0, this.watches.size())
			.mapToObj((i) -> this.watches.get(i).grace(own.places().get(i), look.queues().get(i)))
			.max(Comparator.naturalOrder())
			.orElse(Duration.ZERO);
	}

	/**
	 * Watch the queues in which something is in the way. In the others nothing can come
	 * before the request any more.
	 */
	void begin(EtcdQueueEntry own, EtcdLook look) {
		for (int i = 0; i < this.watches.size(); i++) {
			EtcdQueueSnapshot queue = look.queues().get(i);
			if (queue.ahead().isInTheWay() || !look.isInTheWay()) {
				this.watches.get(i).begin(own.places().get(i), queue);
			}
		}
	}

	void end() {
		this.watches.forEach(PredecessorWatch::end);
	}

}
