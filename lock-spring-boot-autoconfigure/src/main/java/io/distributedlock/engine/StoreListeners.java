package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockRequest;
import io.distributedlock.spi.StoreListener;

/**
 * Passes events on to the listeners, one after the other, on the callback threads.
 */
final class StoreListeners implements StoreListener {

	private static final int MOST_REFUSALS = 10_000;

	private static final Logger logger = LoggerFactory.getLogger(StoreListeners.class);

	private final List<StoreListener> listeners;

	private final Executor executor;

	// Refusals of which not all listeners have been notified.
	private final AtomicInteger refusals = new AtomicInteger();

	private volatile Runnable onOpen = () -> {
	};

	// The end of the latest notification. Guarded by the monitor.
	private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

	StoreListeners(List<StoreListener> listeners, Executor executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	void onOpen(Runnable task) {
		this.onOpen = task;
	}

	@Override
	public void circuitOpened(String store, Throwable cause) {
		post(this.onOpen);
		postToAll((listener) -> listener.circuitOpened(store, cause));
	}

	@Override
	public void circuitClosed(String store, Duration openFor) {
		postToAll((listener) -> listener.circuitClosed(store, openFor));
	}

	@Override
	public void quarantineBegun(String store, Duration remaining) {
		postToAll((listener) -> listener.quarantineBegun(store, remaining));
	}

	@Override
	public void quarantineEnded(String store) {
		postToAll((listener) -> listener.quarantineEnded(store));
	}

	@Override
	public void limitReached(String store, LockRequest request, String limit) {
		if (this.refusals.incrementAndGet() > MOST_REFUSALS) {
			// Listeners are slower than callers are refused.
			this.refusals.decrementAndGet();
			return;
		}
		postToAll((listener) -> listener.limitReached(store, request, limit));
		post(this.refusals::decrementAndGet);
	}

	private void postToAll(Consumer<StoreListener> event) {
		this.listeners.forEach((listener) -> post(() -> event.accept(listener)));
	}

	private synchronized void post(Runnable notification) {
		this.last = this.last.thenRunAsync(() -> notify(notification), this.executor);
	}

	private static void notify(Runnable notification) {
		try {
			notification.run();
		}
		catch (Throwable ex) {
			logger.warn("A listener of a store failed", ex);
		}
	}

}
