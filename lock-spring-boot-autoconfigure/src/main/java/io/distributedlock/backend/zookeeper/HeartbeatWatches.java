package io.distributedlock.backend.zookeeper;

import java.time.Duration;
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
 * Watches the heartbeats of the sessions right in front of this client's waiters, so that
 * these wait for a crashed holder no longer than the session timeout.
 * <p>
 * Leases are valid until half the session timeout after the last acknowledged heartbeat
 * was sent. If the watch fires for the deletion of the heartbeat and for no other event,
 * and the connection was not lost, the heartbeat was not written after its last read. So
 * the leases end half a session timeout after the <em>answer</em> to that read. In every
 * other case the time is counted from when the end was detected.
 */
final class HeartbeatWatches {

	private final LockPaths paths;

	private final LockClock clock;

	private final LongPredicate wanted;

	// By the name of the heartbeat.
	private final Map<String, HeartbeatWatch> watches = new ConcurrentHashMap<>();

	/**
	 * Create the watches of a client.
	 * @param wanted whether a waiter is right behind a session
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
	 * @param listing the listing that contains its heartbeats
	 */
	void watch(ZooKeeperSession session, long other, SessionListing listing) {
		for (HeartbeatNode node : listing.heartbeatsOf(other)) {
			HeartbeatWatch known = this.watches.get(node.name());
			if (known == null || known.session != session || known.gone) {
				HeartbeatWatch made = new HeartbeatWatch(session, node);
				this.watches.put(node.name(), made);
				made.read();
			}
		}
	}

	/**
	 * Return the time at which the leases of a session end at the latest.
	 * @param other the session, which was just found gone
	 * @param timeout its timeout
	 */
	long endOfLeases(long other, Duration timeout) {
		Duration half = timeout.dividedBy(2);
		long grace = half.plus(LockClock.driftAllowance(half)).toNanos();
		long now = this.clock.nanoTime();
		long silentFor = this.watches.values()
			.stream()
			.filter((watch) -> watch.node.session() == other)
			.mapToLong((watch) -> now - watch.silentSince(now))
			.min()
			.orElse(0);
		return now + grace - silentFor;
	}

	/**
	 * Forget the watches that no waiter needs any longer.
	 */
	void sweep() {
		this.watches.values().removeIf((watch) -> watch.gone && !this.wanted.test(watch.node.session()));
	}

	/**
	 * The watch of one heartbeat.
	 */
	private final class HeartbeatWatch implements Watcher {

		private final ZooKeeperSession session;

		private final HeartbeatNode node;

		// When the latest read was answered; null if the heartbeat may have been written
		// since.
		private volatile @Nullable Long unchangedSince;

		// Never reset.
		private volatile boolean gone;

		HeartbeatWatch(ZooKeeperSession session, HeartbeatNode node) {
			this.session = session;
			this.node = node;
		}

		void read() {
			String path = HeartbeatWatches.this.paths.sessions() + "/" + this.node.name();
			this.session.requests().watch(path, this).whenComplete((stat, fault) -> {
				if (fault == null) {
					this.unchangedSince = HeartbeatWatches.this.clock.nanoTime();
				}
				else if (ZooKeeperFaults.isNoNode(fault)) {
					HeartbeatWatches.this.watches.remove(this.node.name(), this);
				}
			});
		}

		@Override
		public void process(WatchedEvent event) {
			if (event.getType() == EventType.NodeDeleted) {
				this.gone = true;
				return;
			}
			// Changes during a lost connection are not reported one by one.
			this.unchangedSince = null;
			boolean readable = event.getType() == EventType.NodeDataChanged
					|| (event.getType() == EventType.None && event.getState() == KeeperState.SyncConnected);
			if (readable && HeartbeatWatches.this.wanted.test(this.node.session())) {
				read();
			}
			else if (event.getState() != KeeperState.Disconnected) {
				HeartbeatWatches.this.watches.remove(this.node.name(), this);
			}
		}

		/**
		 * Return the time since which the heartbeat was not written before its deletion,
		 * or the present time if that is not known.
		 */
		long silentSince(long now) {
			Long since = this.gone ? this.unchangedSince : null;
			return (since != null) ? since : now;
		}

	}

}
