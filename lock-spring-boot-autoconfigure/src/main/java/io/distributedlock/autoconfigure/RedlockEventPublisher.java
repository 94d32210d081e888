package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockNodeEvent;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;

/**
 * Publishes what is found out about the nodes of a Redlock as events of the application.
 */
class RedlockEventPublisher implements RedlockListener {

	private final LockEventPublisher events;

	RedlockEventPublisher(LockEventPublisher events) {
		this.events = events;
	}

	@Override
	public void down(String node, String reason) {
		publish(node, Change.DOWN, reason);
	}

	@Override
	public void voting(String node) {
		publish(node, Change.VOTING, "it votes");
	}

	@Override
	public void quarantined(String node, Duration length) {
		publish(node, Change.QUARANTINED, "it does not vote for " + length);
	}

	@Override
	public void refused(String node, String reason) {
		publish(node, Change.REFUSED, reason);
	}

	@Override
	public void commandRefused(String node, String reason) {
		publish(node, Change.COMMAND_REFUSED, reason);
	}

	@Override
	public void floorEstimated(String node) {
		publish(node, Change.FLOOR_ESTIMATED, "the order of tokens rests on the nodes' clocks");
	}

	@Override
	public void clockJumped(String node, Duration size) {
		publish(node, Change.CLOCK_JUMPED, "its clock jumped by about " + size);
	}

	private void publish(String node, Change change, String detail) {
		this.events.publish(new RedlockNodeEvent(node, change, detail));
	}

}
