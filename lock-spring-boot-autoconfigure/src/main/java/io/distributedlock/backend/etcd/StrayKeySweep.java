package io.distributedlock.backend.etcd;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.etcd.jetcd.ByteSequence;

import io.distributedlock.backend.session.StrayEntries;
import io.distributedlock.spi.LockClock;

/**
 * Deletes the entries in queues that are attached to the session although this JVM does
 * not use them. {@link GivenUpEntries} deletes the entries that this JVM has given up,
 * and this class any others. Two looks are needed, since an unanswered release with a
 * cooldown is repeated after its entry was given up.
 */
final class StrayKeySweep extends StrayEntries<EtcdSession, ByteSequence> {

	private final EtcdRequests requests;

	private final EtcdLockQueue queue;

	private final EtcdKeys keys;

	StrayKeySweep(EtcdRequests requests, EtcdLockQueue queue, EtcdKeys keys, EtcdSessions sessions, LockClock clock) {
		super(sessions::current, Looks.TWO, clock);
		this.requests = requests;
		this.queue = queue;
		this.keys = keys;
	}

	@Override
	protected CompletionStage<List<ByteSequence>> list(EtcdSession session) {
		ByteSequence known = this.keys.session(session.leaseId());
		return this.requests.state(this.requests.defaultEnd(), session.leaseId(), true).thenApply((state) -> {
			int foreign = lengthOfForeignPrefix(state.keys(), known);
			return state.keys().stream().map((stored) -> stored.substring(foreign)).toList();
		});
	}

	/**
	 * Return by how much the names in etcd's answer are longer than those of
	 * {@link EtcdKeys}. An application's client may have a namespace of its own, which is
	 * not removed from this answer.
	 */
	private static int lengthOfForeignPrefix(List<ByteSequence> owned, ByteSequence known) {
		return owned.stream()
			.filter((stored) -> stored.size() >= known.size()
					&& stored.substring(stored.size() - known.size()).equals(known))
			.mapToInt((stored) -> stored.size() - known.size())
			.findFirst()
			.orElse(0);
	}

	@Override
	protected boolean isStray(EtcdSession session, ByteSequence name) {
		return this.keys.parse(name).filter((named) -> named.kind().mode() != null).isPresent()
				&& session.entries().find(EtcdKeys.ownerOf(name)) == null;
	}

	@Override
	protected CompletionStage<Void> delete(EtcdSession session, List<ByteSequence> names) {
		return this.queue.deleteAll(names);
	}

}
