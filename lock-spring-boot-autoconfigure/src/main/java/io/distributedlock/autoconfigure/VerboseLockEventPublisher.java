package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LockAcquiredEvent;
import io.distributedlock.LockHandedOverEvent;
import io.distributedlock.LockReleasedEvent;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LockListener;

/**
 * Publishes each acquisition, hand-over and release as an application event.
 */
class VerboseLockEventPublisher implements LockListener {

	private final LockEventPublisher events;

	VerboseLockEventPublisher(LockEventPublisher events) {
		this.events = events;
	}

	@Override
	public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		String key = lease.keys().get(0);
		this.events.publish(new LockAcquiredEvent(backend, key, request.getName(), lease.fencingToken(key), waited));
	}

	@Override
	public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
		String key = lease.keys().get(0);
		this.events.publish(new LockHandedOverEvent(backend, key, request.getName(), lease.fencingToken(key), waited));
	}

	@Override
	public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
		String key = lease.keys().get(0);
		this.events.publish(new LockReleasedEvent(backend, key, request.getName(), lease.fencingToken(key), heldFor));
	}

}
