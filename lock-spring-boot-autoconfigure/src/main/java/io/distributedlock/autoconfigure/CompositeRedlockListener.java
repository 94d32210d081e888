package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.redlock.RedlockListener;

/**
 * Tells all listeners of the application. One that fails takes the news from nobody else,
 * nor ends what a node's thread was about.
 *
 * @param listeners the listeners, in their order
 */
record CompositeRedlockListener(List<RedlockListener> listeners) implements RedlockListener {

	private static final Logger logger = LoggerFactory.getLogger(CompositeRedlockListener.class);

	@Override
	public void down(String node, String reason) {
		tell((listener) -> listener.down(node, reason));
	}

	@Override
	public void voting(String node) {
		tell((listener) -> listener.voting(node));
	}

	@Override
	public void quarantined(String node, Duration length) {
		tell((listener) -> listener.quarantined(node, length));
	}

	@Override
	public void refused(String node, String reason) {
		tell((listener) -> listener.refused(node, reason));
	}

	@Override
	public void commandRefused(String node, String reason) {
		tell((listener) -> listener.commandRefused(node, reason));
	}

	@Override
	public void floorEstimated(String node) {
		tell((listener) -> listener.floorEstimated(node));
	}

	@Override
	public void clockJumped(String node, Duration size) {
		tell((listener) -> listener.clockJumped(node, size));
	}

	@Override
	public void stoodStill(Duration length) {
		tell((listener) -> listener.stoodStill(length));
	}

	private void tell(Consumer<RedlockListener> news) {
		for (RedlockListener listener : this.listeners) {
			try {
				news.accept(listener);
			}
			catch (RuntimeException ex) {
				logger.warn("A listener of the nodes of the locks failed", ex);
			}
		}
	}

}
