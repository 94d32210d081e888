package io.distributedlock.backend.etcd;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.backend.etcd.EtcdQueueSnapshot.SessionSeen;

/**
 * An entry that a waiter saw before its own, and what it knows of its end. Not safe for
 * use by several threads.
 */
final class SeenPredecessor {

	/**
	 * The number of sessions to ask for in one transaction, which has some more
	 * operations.
	 */
	private static final int SESSIONS = EtcdTxn.BATCH - 10;

	private final EtcdPredecessor predecessor;

	private boolean gone;

	private long goneSince;

	// Zero if it is not known.
	private long goneAt;

	SeenPredecessor(EtcdPredecessor predecessor) {
		this.predecessor = predecessor;
	}

	EtcdPredecessor predecessor() {
		return this.predecessor;
	}

	/**
	 * Record that the entry is gone.
	 * @param now the monotonic time
	 * @param revision the revision at which it was deleted, zero if that is not known
	 */
	void gone(long now, long revision) {
		if (!this.gone) {
			this.gone = true;
			this.goneSince = now;
		}
		if (this.goneAt == 0) {
			this.goneAt = revision;
		}
	}

	void forgetRevision() {
		this.goneAt = 0;
	}

	boolean isGone() {
		return this.gone;
	}

	/**
	 * Return the monotonic time until which its holder may rely on its session, if that
	 * was ended early.
	 */
	long reliesUntil() {
		return this.goneSince + this.predecessor.grace().toNanos();
	}

	/**
	 * Return whether the entry was no longer attached to its session when it was deleted:
	 * its lease had ended, and its cooldown ran.
	 * @param leaseId the lease to which it was attached, zero if that is not known
	 */
	boolean isOfOtherLease(long leaseId) {
		return leaseId != 0 && leaseId != this.predecessor.leaseId();
	}

	/**
	 * Return whether the entry is gone together with its session, or {@code null} if that
	 * is unknown. The end of a session deletes all its keys at one revision.
	 */
	@Nullable Boolean isGoneWithItsSession(Map<Long, SessionSeen> sessions) {
		if (this.predecessor.leaseId() == 0) {
			return false;
		}
		SessionSeen session = sessions.get(this.predecessor.leaseId());
		if (session == null) {
			return null;
		}
		boolean earlier = this.goneAt != 0 && session.revision() != 0 && this.goneAt < session.revision();
		return !session.lives() && !earlier;
	}

	/**
	 * Return the sessions that show how entries went: by their leases, the revision of
	 * the latest deletion of one of them, zero if one of them still exists. A session
	 * that existed then had not ended at an earlier deletion either.
	 */
	static Map<Long, Long> sessions(Collection<SeenPredecessor> entries) {
		Map<Long, Long> sessions = new LinkedHashMap<>();
		List<SeenPredecessor> goneFirst = entries.stream()
			.filter((entry) -> entry.predecessor.leaseId() != 0)
			.sorted(Comparator.comparing((entry) -> !entry.gone))
			.toList();
		for (SeenPredecessor entry : goneFirst) {
			if (sessions.size() < SESSIONS || sessions.containsKey(entry.predecessor.leaseId())) {
				sessions.merge(entry.predecessor.leaseId(), entry.goneAt, SeenPredecessor::later);
			}
		}
		return sessions;
	}

	/**
	 * Return the later one of two revisions, where zero is the present one.
	 */
	static long later(long one, long other) {
		return (one == 0 || other == 0) ? 0 : Math.max(one, other);
	}

}
