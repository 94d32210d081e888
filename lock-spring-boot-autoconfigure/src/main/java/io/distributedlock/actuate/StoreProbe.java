package io.distributedlock.actuate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.spi.CompletionCauses;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.StoreMonitor;

/**
 * Probes a store for any number of callers, with one probe at a time, and keeps the
 * result for a while. Callers wait at most for the timeout, whatever the store does. The
 * probe itself is sent by another thread, and a driver that keeps this thread gets no
 * second one.
 */
final class StoreProbe {

	private final StoreMonitor store;

	private final LockClock clock;

	private final Executor executor;

	private final Duration interval;

	private final Duration timeout;

	private final AtomicReference<@Nullable Flight> latest = new AtomicReference<>();

	/**
	 * Create a probe.
	 * @param executor runs calls of the store that may block
	 * @param interval how long a result is kept
	 * @param timeout how long a caller waits
	 */
	StoreProbe(StoreMonitor store, LockClock clock, Executor executor, Duration interval, Duration timeout) {
		this.store = store;
		this.clock = clock;
		this.executor = executor;
		this.interval = interval;
		this.timeout = timeout;
	}

	/**
	 * Return the kept result, or wait for that of a probe.
	 */
	Result result() {
		Flight flight = current();
		try {
			return flight.result().get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			// The probe goes on, and its result is kept for later callers.
			return new Result(null, new TimeoutException("no answer within " + this.timeout.toMillis() + " ms"),
					this.clock.nanoTime());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return new Result(null, new LockInterruptedException("Interrupted while the store was probed"),
					this.clock.nanoTime());
		}
		catch (ExecutionException ex) {
			throw new CompletionException(ex.getCause());
		}
	}

	/**
	 * Return the time since a result was known.
	 */
	Duration age(Result result) {
		return Duration.ofNanos(Math.max(0, this.clock.nanoTime() - result.at()));
	}

	private Flight current() {
		while (true) {
			Flight flight = this.latest.get();
			if (flight != null && isUsable(flight)) {
				return flight;
			}
			Flight next = new Flight(this.clock.nanoTime());
			if (this.latest.compareAndSet(flight, next)) {
				begin(next);
				return next;
			}
		}
	}

	/**
	 * A result is kept for the interval. A probe that is under way is awaited, unless it
	 * was sent and its answer is far too late.
	 */
	private boolean isUsable(Flight flight) {
		long now = this.clock.nanoTime();
		Result known = flight.result().getNow(null);
		if (known != null) {
			return now - known.at() < this.interval.toNanos();
		}
		return !flight.isSent() || now - flight.begin() < this.timeout.multipliedBy(2).toNanos();
	}

	private void begin(Flight flight) {
		try {
			this.executor.execute(() -> probe(flight));
		}
		catch (Throwable ex) {
			flight.result().complete(new Result(null, ex, this.clock.nanoTime()));
		}
	}

	private void probe(Flight flight) {
		try {
			this.store.probe()
				.whenComplete((latency, failure) -> flight.result()
					.complete(new Result(latency, (failure != null) ? CompletionCauses.unwrap(failure) : null,
							this.clock.nanoTime())));
		}
		catch (Throwable ex) {
			flight.result().complete(new Result(null, ex, this.clock.nanoTime()));
		}
		finally {
			flight.sent();
		}
	}

	/**
	 * A probe that is under way or has a result.
	 */
	private static final class Flight {

		private final long begin;

		// Never completed exceptionally.
		private final CompletableFuture<Result> result = new CompletableFuture<>();

		// Written by the thread that sends the probe, read by those that wait for it.
		private volatile boolean sent;

		Flight(long begin) {
			this.begin = begin;
		}

		long begin() {
			return this.begin;
		}

		CompletableFuture<Result> result() {
			return this.result;
		}

		/**
		 * Record that the driver has returned.
		 */
		void sent() {
			this.sent = true;
		}

		boolean isSent() {
			return this.sent;
		}

	}

	/**
	 * The result of a probe.
	 *
	 * @param latency the time that the store took, or {@code null} if it failed
	 * @param failure why it failed, or {@code null} if it did not
	 * @param at when that was known
	 */
	record Result(@Nullable Duration latency, @Nullable Throwable failure, long at) {
	}

}
