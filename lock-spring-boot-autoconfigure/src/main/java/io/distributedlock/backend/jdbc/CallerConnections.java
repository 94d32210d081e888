package io.distributedlock.backend.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockClock;

/**
 * Keeps connections for a moment after their use, so that callers that are prepared to
 * block can take and release locks on their own threads, which saves two changes of
 * threads for each statement.
 * <p>
 * A caller's thread never enters foreign code that may block without a known bound. A
 * pool may block for its own timeouts while it waits for a connection, validates one or
 * connects. A driver may block for as long as it connects. Therefore only workers borrow
 * connections, and other threads of the store return them: workers that all wait for the
 * pool would never come to return what they wait for. A caller's thread uses a connection
 * on which a statement was answered a moment ago, and only reads from it. The socket
 * timeout bounds each read to the remaining time of the call.
 * <p>
 * A connection is owned by the thread that has taken it out of here, which gives it back
 * or has it closed. As soon as the application waits for the pool, connections go back to
 * it.
 */
final class CallerConnections {

	/**
	 * For how long an idle connection is withheld from the pool. Callers that take one
	 * lock after another find it. An application that needs it for other work waits no
	 * longer than this.
	 */
	private static final Duration KEPT = Duration.ofMillis(100);

	/**
	 * After how long a connection goes back to the pool though it is in use again and
	 * again, so that the pool can replace connections that are old, and reports none as a
	 * leak. Hikari's threshold for leaks is 2 s at least.
	 */
	private static final Duration LONGEST = Duration.ofSeconds(1);

	/**
	 * How long an attempt waits for a kept connection before it goes to a worker. A call
	 * on a connection that works ends within this time.
	 */
	static final Duration WAIT = Duration.ofMillis(20);

	private final Executor returns;

	private final LockClock clock;

	private final PoolDemand demand;

	// All fields below are guarded by this object's monitor. The one used last is the
	// first one.
	private final Deque<Idle> idle = new ArrayDeque<>();

	private int lent;

	private boolean timed;

	private boolean closed;

	/**
	 * Create a keeper without connections.
	 * @param returns returns connections to the pool, on threads that never wait for the
	 * pool
	 * @param clock the clock
	 * @param demand knows who else needs the connections
	 */
	CallerConnections(Executor returns, LockClock clock, PoolDemand demand) {
		this.returns = returns;
		this.clock = clock;
		this.demand = demand;
	}

	/**
	 * Take a connection for a call on the calling thread. Virtual threads, which a driver
	 * may pin, and interrupted threads never get one.
	 * @param patience for how long the call may block the thread
	 * @param timeout for how long it may take
	 * @param wait for how long to wait if all kept connections are in use
	 * @return the connection, or {@code null} if the call has to run on a worker
	 */
	@Nullable LockConnection take(Duration patience, Duration timeout, Duration wait) {
		if (patience.compareTo(timeout) < 0 || Thread.currentThread().isInterrupted()
				|| isVirtual(Thread.currentThread())) {
			return null;
		}
		Idle latest = takeLatest(wait);
		if (latest == null) {
			return null;
		}
		if (isOver(latest)) {
			giveBack(latest.connection(), false);
			return null;
		}
		return latest.connection();
	}

	private synchronized @Nullable Idle takeLatest(Duration wait) {
		if (this.idle.isEmpty() && !wait.isZero() && !awaitIdle(wait)) {
			return null;
		}
		Idle latest = this.idle.pollFirst();
		if (latest != null) {
			this.lent++;
		}
		return latest;
	}

	/**
	 * Wait until a connection is given back. If none is in use, or fewer than may be
	 * kept, a worker borrows another one instead.
	 */
	private synchronized boolean awaitIdle(Duration wait) {
		long end = this.clock.nanoTime() + wait.toNanos();
		int most = this.demand.mostKept();
		while (this.idle.isEmpty()) {
			long left = (end - this.clock.nanoTime()) / 1_000_000;
			if (this.lent == 0 || this.lent < most || left <= 0 || this.closed) {
				return false;
			}
			try {
				wait(left);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}
		return true;
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
		if (!useful || !keep(connection, 0, true)) {
			connection.close();
		}
	}

	/**
	 * Give back what was taken.
	 * @param connection the connection
	 * @param fit whether its last statement was answered
	 */
	void giveBack(LockConnection connection, boolean fit) {
		if (!keep(connection, 1, fit)) {
			closeElsewhere(connection);
		}
	}

	/**
	 * Keep a connection.
	 * @param returned how many lent connections come back by this, zero or one
	 * @param fit whether the connection works
	 */
	private boolean keep(LockConnection connection, int returned, boolean fit) {
		long now = this.clock.nanoTime();
		boolean wanted = fit && now - connection.borrowedAt() < LONGEST.toNanos() && !this.demand.isWaitedFor();
		int most = this.demand.mostKept();
		synchronized (this) {
			this.lent -= returned;
			// A waiter takes the connection, or finds that fewer are lent than may be.
			notify();
			if (!wanted || this.closed || this.idle.size() + this.lent >= most) {
				return false;
			}
			this.idle.addFirst(new Idle(connection, now));
			if (this.timed) {
				return true;
			}
			this.timed = true;
		}
		this.clock.schedule(KEPT, this::closeIdle);
		return true;
	}

	private void closeIdle() {
		Deque<Idle> over = new ArrayDeque<>();
		Idle next;
		synchronized (this) {
			while (!this.idle.isEmpty() && isOver(this.idle.getLast())) {
				over.add(this.idle.removeLast());
			}
			next = this.idle.peekLast();
			this.timed = next != null;
		}
		if (next != null) {
			this.clock.schedule(KEPT.minusNanos(this.clock.nanoTime() - next.since()), this::closeIdle);
		}
		over.forEach((each) -> closeElsewhere(each.connection()));
	}

	private boolean isOver(Idle idle) {
		return this.clock.nanoTime() - idle.since() >= KEPT.toNanos();
	}

	private void closeElsewhere(LockConnection connection) {
		try {
			this.returns.execute(connection::close);
		}
		catch (RejectedExecutionException ex) {
			// The store has stopped, so that no thread is left to do it.
			connection.close();
		}
	}

	/**
	 * Keep no more connections. Called before the threads end that return them.
	 */
	void close() {
		Deque<Idle> rest;
		synchronized (this) {
			this.closed = true;
			notifyAll();
			rest = new ArrayDeque<>(this.idle);
			this.idle.clear();
		}
		rest.forEach((each) -> closeElsewhere(each.connection()));
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
