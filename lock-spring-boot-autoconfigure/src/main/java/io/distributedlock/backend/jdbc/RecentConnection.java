package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;

/**
 * Keeps the connection of the latest attempt for a moment, so that the next attempt can
 * run on its caller's thread, which saves two changes of threads.
 * <p>
 * A caller's thread never enters foreign code that may block without a known bound. A
 * pool may block for its own timeouts while it waits for a connection, validates one or
 * connects. A driver may block for as long as it connects. Therefore only workers borrow
 * and return connections. A caller's thread uses a connection on which a statement was
 * answered a moment ago, and only reads from it. The socket timeout bounds each read to
 * the remaining time of the attempt.
 * <p>
 * The slot is one atomic reference. The thread that swaps a connection out of it owns
 * that connection, and puts it back or has it closed.
 */
final class RecentConnection {

	/**
	 * For how long an idle connection is withheld from the pool. Callers that take one
	 * lock after another find it. An application that needs it for other work waits no
	 * longer than this.
	 */
	private static final Duration KEPT = Duration.ofMillis(100);

	private final Executor workers;

	private final LockClock clock;

	private final AtomicReference<@Nullable Idle> slot = new AtomicReference<>();

	private final AtomicBoolean timed = new AtomicBoolean();

	private volatile boolean closed;

	RecentConnection(Executor workers, LockClock clock) {
		this.workers = workers;
		this.clock = clock;
	}

	/**
	 * Take the connection for an attempt on the calling thread. Virtual threads, which a
	 * driver may pin, and interrupted threads never get it.
	 * @param request the attempt, which may block the thread for its whole timeout
	 * @return the connection, or {@code null} if the attempt has to run on a worker
	 */
	@Nullable LockConnection take(LeaseRequest request) {
		if (request.patience().compareTo(request.timeout()) < 0 || Thread.currentThread().isInterrupted()
				|| isVirtual(Thread.currentThread())) {
			return null;
		}
		Idle idle = this.slot.getAndSet(null);
		if (idle == null) {
			return null;
		}
		if (isOver(idle)) {
			closeOnWorker(idle.connection());
			return null;
		}
		return idle.connection();
	}

	/**
	 * Keep a connection whose last statement was answered, or close it on this thread. To
	 * be called on a worker.
	 * @param connection the connection
	 * @param request the attempt that has used it
	 */
	void keepOrClose(LockConnection connection, LeaseRequest request) {
		// Embedded databases close their file if the thread is interrupted, and have no
		// socket timeouts. So callers' threads never enter them.
		boolean useful = !request.patience().isZero() && connection.table().dialect().has(Dialect.Trait.NETWORK);
		if (!useful || !keep(connection)) {
			connection.close();
		}
	}

	/**
	 * Give back what {@link #take} returned.
	 * @param connection the connection
	 * @param fit whether its last statement was answered
	 */
	void giveBack(LockConnection connection, boolean fit) {
		if (!fit || !keep(connection)) {
			closeOnWorker(connection);
		}
	}

	private boolean keep(LockConnection connection) {
		Idle idle = new Idle(connection, this.clock.nanoTime());
		if (this.closed || !this.slot.compareAndSet(null, idle)) {
			return false;
		}
		// This field is read after the slot was set, and written before the slot is
		// emptied. So one of the two threads sees the change of the other.
		if (this.closed && this.slot.compareAndSet(idle, null)) {
			return false;
		}
		schedule(KEPT);
		return true;
	}

	private void schedule(Duration delay) {
		if (this.timed.compareAndSet(false, true)) {
			this.clock.schedule(delay, this::closeIdle);
		}
	}

	private void closeIdle() {
		// Before the slot is read: a connection that is kept after that gets a timer of
		// its own.
		this.timed.set(false);
		Idle idle = this.slot.get();
		if (idle == null) {
			return;
		}
		if (!isOver(idle)) {
			schedule(KEPT.minusNanos(this.clock.nanoTime() - idle.since()));
		}
		else if (this.slot.compareAndSet(idle, null)) {
			closeOnWorker(idle.connection());
		}
	}

	private boolean isOver(Idle idle) {
		return this.clock.nanoTime() - idle.since() >= KEPT.toNanos();
	}

	private void closeOnWorker(LockConnection connection) {
		try {
			this.workers.execute(connection::close);
		}
		catch (RejectedExecutionException ex) {
			// The store has stopped, so that no worker is left to do it.
			connection.close();
		}
	}

	/**
	 * Keep no more connections. Called before the workers end.
	 */
	void close() {
		this.closed = true;
		Idle idle = this.slot.getAndSet(null);
		if (idle != null) {
			closeOnWorker(idle.connection());
		}
	}

	private static boolean isVirtual(Thread thread) {
		// Java 17 has no method for this, and the class of virtual threads is not public.
		return thread.getClass().getName().contains("Virtual");
	}

	/**
	 * A connection that is not in use.
	 *
	 * @param connection the connection
	 * @param since when it was put here
	 */
	private record Idle(LockConnection connection, long since) {
	}

}
