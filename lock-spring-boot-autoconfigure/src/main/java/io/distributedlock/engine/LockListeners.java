package io.distributedlock.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockListener;

/**
 * Passes events on to all listeners. Each listener has its own {@link ListenerMailbox},
 * so neither the engine nor other listeners wait for it.
 */
final class LockListeners implements LockListener {

	private final ListenerMailbox[] mailboxes;

	// The mailboxes whose listeners implement an event. Most events have no receiver, and
	// then cost nothing.
	private final ListenerMailbox[] waiting;

	private final ListenerMailbox[] acquired;

	private final ListenerMailbox[] busy;

	private final ListenerMailbox[] unavailable;

	private final ListenerMailbox[] handedOver;

	private final ListenerMailbox[] renewed;

	private final ListenerMailbox[] released;

	private final ListenerMailbox[] lost;

	LockListeners(List<LockListener> listeners, Executor executor) {
		this.mailboxes = listeners.stream()
			.map((listener) -> new ListenerMailbox(listener, executor))
			.toArray(ListenerMailbox[]::new);
		this.waiting = receiversOf("waiting");
		this.acquired = receiversOf("acquired");
		this.busy = receiversOf("busy");
		this.unavailable = receiversOf("unavailable");
		this.handedOver = receiversOf("handedOver");
		this.renewed = receiversOf("renewed");
		this.released = receiversOf("released");
		this.lost = receiversOf("lost");
	}

	/**
	 * Return whether all listeners have been notified of all events so far.
	 */
	boolean areIdle() {
		for (ListenerMailbox mailbox : this.mailboxes) {
			if (!mailbox.isIdle()) {
				return false;
			}
		}
		return true;
	}

	private ListenerMailbox[] receiversOf(String event) {
		return Arrays.stream(this.mailboxes).filter((mailbox) -> mailbox.wants(event)).toArray(ListenerMailbox[]::new);
	}

	@Override
	public void waiting(String backend, LockRequest request) {
		for (ListenerMailbox mailbox : this.waiting) {
			mailbox.post((listener) -> listener.waiting(backend, request));
		}
	}

	@Override
	public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		for (ListenerMailbox mailbox : this.acquired) {
			mailbox.post((listener) -> listener.acquired(backend, request, lease, waited));
		}
	}

	@Override
	public void busy(String backend, LockRequest request, Duration waited) {
		for (ListenerMailbox mailbox : this.busy) {
			mailbox.post((listener) -> listener.busy(backend, request, waited));
		}
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		for (ListenerMailbox mailbox : this.unavailable) {
			mailbox.post((listener) -> listener.unavailable(backend, request, cause, waited));
		}
	}

	@Override
	public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
		for (ListenerMailbox mailbox : this.handedOver) {
			mailbox.post((listener) -> listener.handedOver(backend, request, lease, waited));
		}
	}

	@Override
	public void renewed(String backend, LockRequest request, Lease lease) {
		for (ListenerMailbox mailbox : this.renewed) {
			mailbox.post((listener) -> listener.renewed(backend, request, lease));
		}
	}

	@Override
	public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
		for (ListenerMailbox mailbox : this.released) {
			mailbox.post((listener) -> listener.released(backend, request, lease, heldFor));
		}
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		for (ListenerMailbox mailbox : this.lost) {
			mailbox.post((listener) -> listener.lost(backend, request, lease, reason, heldFor));
		}
	}

}
