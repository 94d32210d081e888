package io.distributedlock.backend.redlock;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockKeys;

/**
 * Writes what a client finds out about the nodes to the log, and passes it on.
 *
 * @param next is told too
 */
record LoggingRedlockListener(RedlockListener next) implements RedlockListener {

	private static final Logger logger = LoggerFactory.getLogger(RedlockLockBackend.class);

	@Override
	public void down(String node, String reason) {
		logger.warn("Node {} of the locks is down: {}", node, LockKeys.printable(reason));
		this.next.down(node, reason);
	}

	@Override
	public void voting(String node) {
		logger.info("Node {} of the locks votes", node);
		this.next.voting(node);
	}

	@Override
	public void quarantined(String node, Duration length) {
		logger.warn("Node {} may have forgotten its locks, and does not vote for {}", node, length);
		this.next.quarantined(node, length);
	}

	@Override
	public void refused(String node, String reason) {
		logger.error("Node {} is not used for locks: {}", node, LockKeys.printable(reason));
		this.next.refused(node, reason);
	}

	@Override
	public void commandRefused(String node, String reason) {
		logger.error("Node {} of the locks refuses what they need: {}", node, LockKeys.printable(reason));
		this.next.commandRefused(node, reason);
	}

	@Override
	public void floorEstimated(String node) {
		logger.warn("More nodes have forgotten their locks than a majority can bear. Fencing tokens that node {}"
				+ " votes for are greater than earlier ones only by the clocks of the nodes", node);
		this.next.floorEstimated(node);
	}

	@Override
	public void clockJumped(String node, Duration size) {
		logger.warn("The clock of node {} jumped by about {}: its locks may have run out too early, and it does"
				+ " not vote for a time", node, size);
		this.next.clockJumped(node, size);
	}

	@Override
	public void stoodStill(Duration length) {
		logger.warn("The monotonic clock of this JVM stood still for about {}", length);
		this.next.stoodStill(length);
	}

}
