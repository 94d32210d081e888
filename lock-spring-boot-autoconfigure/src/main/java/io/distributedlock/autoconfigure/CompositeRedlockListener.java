package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.backend.redlock.RedlockListener;
import io.distributedlock.backend.redlock.RedlockNodeEvent.Change;

/**
 * Notifies all listeners of the application. The failure of one affects neither other
 * listeners nor the thread of the node.
 *
 * @param listeners the listeners, in their order
 */
record CompositeRedlockListener(List<RedlockListener> listeners) implements RedlockListener {

	private static final Logger logger = LoggerFactory.getLogger(CompositeRedlockListener.class);

	@Override
	public void changed(String node, Change change, String subject) {
		tell((listener) -> listener.changed(node, change, subject));
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
