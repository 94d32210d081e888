package io.distributedlock.backend.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.NotSentException;
import io.distributedlock.spi.LockClock;

/**
 * Keeps the connection that a {@link LettuceLink} uses. It is opened when it is needed,
 * again if it was closed, and replaced if it has been interrupted for long.
 */
final class LettuceConnections {

	/**
	 * The least time between two tries to replace a connection.
	 */
	private static final Duration REPLACEMENT_PAUSE = Duration.ofMillis(250);

	private final LettuceConnectionFactory factory;

	// Whether the scripts share the application's connection.
	private final boolean shares;

	private final RedisConnectionStateListener listener;

	private final Executor workers;

	private final LockClock clock;

	// All below is guarded by this object's monitor. The current wire or the one that is
	// being opened.
	private @Nullable CompletableFuture<LettuceWire> wire;

	// The latest one that was to replace an interrupted one, and when that began.
	private @Nullable CompletableFuture<LettuceWire> replacement;

	private long replacementBegun;

	// The client that has the listener.
	private @Nullable AbstractRedisClient client;

	private boolean closed;

	/**
	 * Create the connections, without opening one.
	 * @param factory opens connections
	 * @param shares whether the application's connection serves until it is interrupted
	 * for long
	 * @param listener is notified of the connections of the factory's client
	 * @param workers open connections, which may block
	 * @param clock the clock
	 */
	LettuceConnections(LettuceConnectionFactory factory, boolean shares, RedisConnectionStateListener listener,
			Executor workers, LockClock clock) {
		this.factory = factory;
		this.shares = shares;
		this.listener = listener;
		this.workers = workers;
		this.clock = clock;
	}

	/**
	 * Return the connection to use, which may still be opening.
	 */
	synchronized CompletableFuture<LettuceWire> current() {
		if (this.closed) {
			return CompletableFuture.failedFuture(stopped());
		}
		CompletableFuture<LettuceWire> current = this.wire;
		if (current != null && (!current.isDone() || isUsable(current))) {
			return current;
		}
		CompletableFuture<LettuceWire> next = new CompletableFuture<>();
		this.wire = next;
		execute(next, () -> open(next, current));
		return next;
	}

	private static boolean isUsable(CompletableFuture<LettuceWire> wire) {
		LettuceWire opened = opened(wire);
		return opened != null && opened.isUsable();
	}

	private static @Nullable LettuceWire opened(@Nullable CompletableFuture<LettuceWire> wire) {
		return (wire != null && wire.isDone() && !wire.isCompletedExceptionally()) ? wire.join() : null;
	}

	private void execute(CompletableFuture<LettuceWire> next, Runnable opening) {
		try {
			this.workers.execute(opening);
		}
		catch (RejectedExecutionException ex) {
			next.completeExceptionally(stopped());
		}
	}

	private void open(CompletableFuture<LettuceWire> next, @Nullable CompletableFuture<LettuceWire> before) {
		try {
			LettuceWire unusable = opened(before);
			if (unusable != null) {
				unusable.close();
			}
			if (!this.shares && this.factory.isClusterAware()) {
				throw new LockUnavailableException("lock.redis.min-replica-acks is not possible with a Redis Cluster");
			}
			LettuceWire opened = this.shares ? LettuceWire.shared(this.factory) : LettuceWire.own(this.factory);
			listenTo(this.factory.getRequiredNativeClient());
			if (!next.complete(opened)) {
				opened.close();
			}
		}
		catch (RuntimeException ex) {
			next.completeExceptionally(ex);
		}
	}

	private synchronized void listenTo(AbstractRedisClient current) {
		if (this.client != current && !this.closed) {
			if (this.client != null) {
				this.client.removeListener(this.listener);
			}
			current.addListener(this.listener);
			this.client = current;
		}
	}

	/**
	 * Replace a connection that has been interrupted for long by one that only the locks
	 * use. A shared one is left to the application, with the commands that wait for it.
	 * The locks then keep their own connection. One is opened at a time.
	 * @param before the interrupted connection
	 * @param onReplaced is run when it has been replaced; does not block
	 * @return the connection, which fails at once if the server can't be reached
	 */
	synchronized CompletableFuture<LettuceWire> replace(LettuceWire before, Runnable onReplaced) {
		if (this.closed) {
			return CompletableFuture.failedFuture(stopped());
		}
		CompletableFuture<LettuceWire> latest = this.replacement;
		long now = this.clock.nanoTime();
		if (latest != null && (!latest.isDone() || now - this.replacementBegun < REPLACEMENT_PAUSE.toNanos())) {
			return latest;
		}
		CompletableFuture<LettuceWire> next = new CompletableFuture<>();
		this.replacement = next;
		this.replacementBegun = now;
		execute(next, () -> openReplacement(next, before, onReplaced));
		return next;
	}

	private void openReplacement(CompletableFuture<LettuceWire> next, LettuceWire before, Runnable onReplaced) {
		try {
			LettuceWire opened = LettuceWire.own(this.factory);
			if (use(opened, before)) {
				before.close();
				onReplaced.run();
				next.complete(opened);
			}
			else {
				// Another one is in use already, or the locks were stopped.
				opened.close();
				current().whenComplete((used, fault) -> {
					if (fault != null) {
						next.completeExceptionally(fault);
					}
					else {
						next.complete(used);
					}
				});
			}
		}
		catch (RuntimeException ex) {
			next.completeExceptionally(ex);
		}
	}

	/**
	 * Use a connection unless the one that it replaces is no longer in use.
	 */
	private synchronized boolean use(LettuceWire opened, LettuceWire before) {
		if (this.closed || opened(this.wire) != before) {
			return false;
		}
		this.wire = CompletableFuture.completedFuture(opened);
		return true;
	}

	/**
	 * Let the next call open another connection, because the current one is silent and
	 * can't be broken. A shared connection is reset even though the application uses it,
	 * because it is silent for the application as well.
	 */
	void discard() {
		LettuceWire current = opened(take());
		if ((current != null) ? current.shared() : this.shares) {
			this.factory.resetConnection();
		}
		else if (current != null) {
			current.close();
		}
	}

	private synchronized @Nullable CompletableFuture<LettuceWire> take() {
		CompletableFuture<LettuceWire> current = this.wire;
		this.wire = null;
		return current;
	}

	void close() {
		CompletableFuture<LettuceWire> current;
		synchronized (this) {
			this.closed = true;
			current = take();
			if (this.client != null) {
				this.client.removeListener(this.listener);
			}
		}
		if (current != null && !current.completeExceptionally(stopped()) && !current.isCompletedExceptionally()) {
			current.join().close();
		}
	}

	private static NotSentException stopped() {
		return new NotSentException("The locks in Redis were stopped", null);
	}

}
