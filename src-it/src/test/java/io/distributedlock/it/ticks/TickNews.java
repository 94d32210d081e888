package io.distributedlock.it.ticks;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LockListener;

/**
 * The outcome of the ticks of one instance.
 */
abstract class TickNews implements LockListener {

	// The ticks that were granted, and whose bodies have not begun.
	private final Map<String, BlockingQueue<Instant>> granted = new ConcurrentHashMap<>();

	/**
	 * Called when the body of a tick runs.
	 */
	abstract void ran(String job, Instant tick);

	/**
	 * Called when a tick does not run here.
	 */
	abstract void refused(String job, Instant tick, @Nullable Throwable cause);

	/**
	 * Report the run of a job. Called by its body, which does not know its tick.
	 */
	final void run(String job) {
		try {
			ran(job, Objects.requireNonNull(granted(job).poll(60, TimeUnit.SECONDS)));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private BlockingQueue<Instant> granted(String job) {
		return this.granted.computeIfAbsent(job, (key) -> new LinkedBlockingQueue<>());
	}

	@Override
	public final void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		granted(request.getName()).add(request.getTick());
	}

	@Override
	public final void busy(String backend, LockRequest request, Duration waited) {
		refused(request.getName(), request.getTick(), null);
	}

	@Override
	public final void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		refused(request.getName(), request.getTick(), cause);
	}

}
