package io.distributedlock.backend.etcd;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.etcd.jetcd.ByteSequence;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockClock;

/**
 * Gives back each minute what the session owns at the store and this JVM does not know
 * of. {@link GivenUpEntries} deletes what this JVM has given up; this is for anything
 * else.
 */
final class StrayKeySweep {

	private static final Logger logger = LoggerFactory.getLogger(StrayKeySweep.class);

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	private final EtcdRequests requests;

	private final EtcdLockQueue queue;

	private final EtcdKeys keys;

	private final EtcdSessions sessions;

	private final LockClock clock;

	// Guarded by the monitor: what the last sweep found to be stray. It is deleted if the
	// next one finds so too.
	private Set<ByteSequence> suspects = Set.of();

	private volatile boolean ended;

	StrayKeySweep(EtcdRequests requests, EtcdLockQueue queue, EtcdKeys keys, EtcdSessions sessions, LockClock clock) {
		this.requests = requests;
		this.queue = queue;
		this.keys = keys;
		this.sessions = sessions;
		this.clock = clock;
	}

	/**
	 * Sweep from now on, one sweep after the other.
	 */
	void begin() {
		this.clock.schedule(INTERVAL, () -> {
			if (!this.ended) {
				sweep().whenComplete((given, fault) -> begin());
			}
		});
	}

	void end() {
		this.ended = true;
	}

	/**
	 * Look once at what the session owns.
	 * @return how many entries were given back
	 */
	CompletionStage<Integer> sweep() {
		EtcdSession session = this.sessions.current();
		if (session == null) {
			return CompletableFuture.completedStage(0);
		}
		return this.requests.state(this.requests.defaultEnd(), session.leaseId(), true)
			.thenCompose((state) -> giveBack(session, state.keys()))
			.exceptionally((fault) -> {
				logger.debug("The session in etcd could not be looked at", fault);
				return 0;
			});
	}

	private CompletionStage<Integer> giveBack(EtcdSession session, List<ByteSequence> owned) {
		int foreign = lengthOfForeignPrefix(owned, this.keys.session(session.leaseId()));
		Set<ByteSequence> strays = owned.stream()
			.map((stored) -> stored.substring(foreign))
			.filter((name) -> isStray(session, name))
			.collect(Collectors.toSet());
		List<ByteSequence> confirmed;
		synchronized (this) {
			confirmed = strays.stream().filter(this.suspects::contains).toList();
			this.suspects = strays;
		}
		return this.queue.deleteAll(confirmed).thenApply((answer) -> {
			logger.debug("Gave back {} entries in queues that were not in use", confirmed.size());
			return confirmed.size();
		});
	}

	private boolean isStray(EtcdSession session, ByteSequence name) {
		return this.keys.parse(name).filter((named) -> named.kind() == EtcdKeys.Kind.ENTRY).isPresent()
				&& session.entries().find(EtcdKeys.ownerOf(name)) == null;
	}

	/**
	 * Return by how much the names that etcd tells here are longer than ours: an
	 * application's client may have a namespace of its own, which is not taken off here.
	 */
	private static int lengthOfForeignPrefix(List<ByteSequence> owned, ByteSequence known) {
		for (ByteSequence stored : owned) {
			int longer = stored.size() - known.size();
			if (longer >= 0 && stored.substring(longer).equals(known)) {
				return longer;
			}
		}
		return 0;
	}

}
