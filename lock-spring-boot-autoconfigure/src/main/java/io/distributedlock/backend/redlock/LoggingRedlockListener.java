package io.distributedlock.backend.redlock;

import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockKeys;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;

/**
 * Logs what a client finds out about the nodes, and passes it on.
 *
 * @param next the listener that receives it too
 */
record LoggingRedlockListener(RedlockListener next) implements RedlockListener {

	private static final Logger logger = LoggerFactory.getLogger(RedlockLockBackend.class);

	@Override
	public void changed(String node, Change change, String subject) {
		logger.atLevel(change.level()).log(change.message(), node, LockKeys.printable(subject));
		this.next.changed(node, change, subject);
	}

	@Override
	public void stoodStill(Duration length) {
		logger.warn("The monotonic clock of this JVM stood still for about {}", length);
		this.next.stoodStill(length);
	}

}
