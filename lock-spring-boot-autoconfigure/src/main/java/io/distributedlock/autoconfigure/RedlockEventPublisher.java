package io.distributedlock.autoconfigure;

import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockNodeEvent;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;

/**
 * Publishes changes of node state as application events.
 */
class RedlockEventPublisher implements RedlockListener {

	private final LockEventPublisher events;

	RedlockEventPublisher(LockEventPublisher events) {
		this.events = events;
	}

	@Override
	public void changed(String node, Change change, String subject) {
		this.events.publish(new RedlockNodeEvent(node, change, change.detail(subject)));
	}

}
