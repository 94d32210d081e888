package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

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

	LockListeners(List<LockListener> listeners, Executor executor) {
		this.mailboxes = listeners.stream()
			.map((listener) -> new ListenerMailbox(listener, executor))
			.toArray(ListenerMailbox[]::new);
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

	private void post(String event, Consumer<LockListener> news) {
		for (ListenerMailbox mailbox : this.mailboxes) {
			mailbox.post(event, news);
		}
	}

	@Override
	public void waiting(String backend, LockRequest request) {
		post("waiting", (listener) -> listener.waiting(backend, request));
	}

	@Override
	public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		post("acquired", (listener) -> listener.acquired(backend, request, lease, waited));
	}

	@Override
	public void busy(String backend, LockRequest request, Duration waited) {
		post("busy", (listener) -> listener.busy(backend, request, waited));
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		post("unavailable", (listener) -> listener.unavailable(backend, request, cause, waited));
	}

	@Override
	public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
		post("handedOver", (listener) -> listener.handedOver(backend, request, lease, waited));
	}

	@Override
	public void renewed(String backend, LockRequest request, Lease lease) {
		post("renewed", (listener) -> listener.renewed(backend, request, lease));
	}

	@Override
	public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
		post("released", (listener) -> listener.released(backend, request, lease, heldFor));
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		post("lost", (listener) -> listener.lost(backend, request, lease, reason, heldFor));
	}

}
