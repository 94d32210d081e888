package io.distributedlock.backend.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;

import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LockClock;

/**
 * Watches the heartbeats of the sessions that this client's waiters stand right behind,
 * so that they need not wait for a crashed holder longer than the session time-out.
 * <p>
 * Leases are valid until half the session time-out after the last acknowledged heartbeat
 * was sent. A heartbeat that is gone was not written since it was last read, provided
 * that the watch fired for nothing else and the connection was not lost meanwhile: so the
 * leases end half a session time-out after the <em>answer</em> to that read. In every
 * other case they are counted from when the end was seen.
 */
final class HeartbeatWatches {

	private final LockPaths paths;

	private final LockClock clock;

	private final LongPredicate wanted;

	// By the name of the heartbeat.
	private final Map<String, HeartbeatWatch> watches = new ConcurrentHashMap<>();

	/**
	 * Create the watches of a client.
	 * @param wanted whether a waiter stands right behind a session
	 */
	HeartbeatWatches(LockPaths paths, LockClock clock, LongPredicate wanted) {
		this.paths = paths;
		this.clock = clock;
		this.wanted = wanted;
	}

	/**
	 * Watch the heartbeats of another session.
	 * @param session the own session
	 * @param other the other one
	 * @param listing where its heartbeats are
	 */
	void watch(ZooKeeperSession session, long other, SessionListing listing) {
		for (HeartbeatNode node : listing.heartbeatsOf(other)) {
			HeartbeatWatch known = this.watches.get(node.name());
			if (known == null || known.session != session || known.isGone()) {
				HeartbeatWatch made = new HeartbeatWatch(session, node);
				this.watches.put(node.name(), made);
				made.read();
			}
		}
	}

	/**
	 * Return the time at which the leases of a session end at the latest.
	 * @param other the session, which was seen to be gone now
	 * @param timeout its time-out
	 */
	long endOfLeases(long other, Duration timeout) {
		Duration half = timeout.dividedBy(2);
		long grace = half.plus(LockClock.driftAllowance(half)).toNanos();
		long now = this.clock.nanoTime();
		List<HeartbeatWatch> known = this.watches.values()
			.stream()
			.filter((watch) -> watch.node.session() == other)
			.toList();
		long silentFor = known.isEmpty() ? 0 : Long.MAX_VALUE;
		for (HeartbeatWatch watch : known) {
			Long silentSince = watch.silentSince();
			if (silentSince == null) {
				return now + grace;
			}
			silentFor = Math.min(silentFor, now - silentSince);
		}
		return now + grace - silentFor;
	}

	/**
	 * Forget the watches that no waiter needs any more.
	 */
	void sweep() {
		this.watches.values().removeIf((watch) -> watch.isGone() && !this.wanted.test(watch.node.session()));
	}

	/**
	 * The watch of one heartbeat.
	 */
	private final class HeartbeatWatch implements Watcher {

		private final ZooKeeperSession session;

		private final HeartbeatNode node;

		// When the latest read was answered; null if it may have been written since.
		// Guarded by the monitor.
		private @Nullable Long unchangedSince;

		// Guarded by the monitor.
		private boolean gone;

		HeartbeatWatch(ZooKeeperSession session, HeartbeatNode node) {
			this.session = session;
			this.node = node;
		}

		void read() {
			String path = HeartbeatWatches.this.paths.sessions() + "/" + this.node.name();
			this.session.requests().watch(path, this).whenComplete((stat, fault) -> {
				if (fault == null) {
					unchanged(HeartbeatWatches.this.clock.nanoTime());
				}
				else if (ZooKeeperFaults.isNoNode(fault)) {
					HeartbeatWatches.this.watches.remove(this.node.name(), this);
				}
			});
		}

		@Override
		public void process(WatchedEvent event) {
			if (event.getType() == EventType.NodeDeleted) {
				deleted();
				return;
			}
			// Changes that come while there is no connection are not told one by one.
			changed();
			boolean readable = event.getType() == EventType.NodeDataChanged
					|| (event.getType() == EventType.None && event.getState() == KeeperState.SyncConnected);
			if (readable && HeartbeatWatches.this.wanted.test(this.node.session())) {
				read();
			}
			else if (event.getState() != KeeperState.Disconnected) {
				HeartbeatWatches.this.watches.remove(this.node.name(), this);
			}
		}

		private synchronized void unchanged(long now) {
			this.unchangedSince = now;
		}

		private synchronized void changed() {
			this.unchangedSince = null;
		}

		private synchronized void deleted() {
			this.gone = true;
		}

		synchronized boolean isGone() {
			return this.gone;
		}

		/**
		 * Return since when it was not written before it went, or {@code null} if that is
		 * not known.
		 */
		synchronized @Nullable Long silentSince() {
			return this.gone ? this.unchangedSince : null;
		}

	}

}
