package io.distributedlock.engine;

import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LockListener;

/**
 * Keeps the pending events of one listener. The listener receives them one at a time, in
 * their order, on a thread that does no other work meanwhile. A listener that blocks
 * misses events once {@value #CAPACITY} wait for it; other listeners are not affected.
 */
final class ListenerMailbox {

	private static final Logger logger = LoggerFactory.getLogger(ListenerMailbox.class);

	static final int CAPACITY = 10_000;

	private final LockListener listener;

	private final Executor executor;

	private final Set<String> wanted;

	// This field and those below are guarded by the monitor of this object. The listener
	// is not called while it is held.
	private final Queue<Consumer<LockListener>> events = new ArrayDeque<>();

	private boolean delivering;

	private long missed;

	ListenerMailbox(LockListener listener, Executor executor) {
		this.listener = listener;
		this.executor = executor;
		this.wanted = Arrays.stream(LockListener.class.getMethods())
			.filter((event) -> isImplemented(listener.getClass(), event))
			.map(Method::getName)
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Return whether a listener implements an event.
	 */
	private static boolean isImplemented(Class<?> type, Method event) {
		try {
			return type.getMethod(event.getName(), event.getParameterTypes()).getDeclaringClass() != LockListener.class;
		}
		catch (NoSuchMethodException ex) {
			// A native image has no metadata of this method.
			return true;
		}
	}

	/**
	 * Return whether the listener implements an event. Others need not be posted.
	 */
	boolean wants(String event) {
		return this.wanted.contains(event);
	}

	void post(Consumer<LockListener> event) {
		boolean first;
		synchronized (this) {
			if (this.events.size() >= CAPACITY) {
				first = this.missed++ == 0;
			}
			else {
				this.events.add(event);
				if (!this.delivering) {
					this.delivering = true;
					this.executor.execute(this::deliver);
				}
				return;
			}
		}
		if (first) {
			logger.warn("The lock listener {} is blocked or too slow: {} events wait for it, and further ones"
					+ " are dropped", this.listener.getClass().getName(), CAPACITY);
		}
	}

	synchronized boolean isIdle() {
		return !this.delivering;
	}

	private void deliver() {
		for (Consumer<LockListener> event = next(); event != null; event = next()) {
			try {
				event.accept(this.listener);
			}
			catch (Throwable ex) {
				logger.warn("The lock listener {} failed", this.listener.getClass().getName(), ex);
			}
		}
	}

	private @Nullable Consumer<LockListener> next() {
		long missedNow;
		Consumer<LockListener> event;
		synchronized (this) {
			event = this.events.poll();
			this.delivering = event != null;
			missedNow = this.missed;
			this.missed = 0;
		}
		if (missedNow > 0) {
			logger.warn("The lock listener {} missed {} events", this.listener.getClass().getName(), missedNow);
		}
		return event;
	}

}
