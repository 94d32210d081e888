package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockListener;

/**
 * Tells all listeners, and keeps what they throw away from the locks.
 */
final class LockListeners implements LockListener {

	private static final Logger logger = LoggerFactory.getLogger(LockListeners.class);

	private final LockListener[] listeners;

	LockListeners(List<LockListener> listeners) {
		this.listeners = listeners.toArray(LockListener[]::new);
	}

	private void tell(Consumer<LockListener> news) {
		for (LockListener listener : this.listeners) {
			try {
				news.accept(listener);
			}
			catch (RuntimeException | LinkageError ex) {
				logger.warn("The lock listener {} failed", listener.getClass().getName(), ex);
			}
		}
	}

	@Override
	public void waiting(String backend, LockRequest request) {
		tell((listener) -> listener.waiting(backend, request));
	}

	@Override
	public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		tell((listener) -> listener.acquired(backend, request, lease, waited));
	}

	@Override
	public void busy(String backend, LockRequest request, Duration waited) {
		tell((listener) -> listener.busy(backend, request, waited));
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		tell((listener) -> listener.unavailable(backend, request, cause, waited));
	}

	@Override
	public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
		tell((listener) -> listener.handedOver(backend, request, lease, waited));
	}

	@Override
	public void renewed(String backend, LockRequest request, Lease lease) {
		tell((listener) -> listener.renewed(backend, request, lease));
	}

	@Override
	public void released(String backend, LockRequest request, Lease lease, Duration heldFor) {
		tell((listener) -> listener.released(backend, request, lease, heldFor));
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		tell((listener) -> listener.lost(backend, request, lease, reason, heldFor));
	}

}
