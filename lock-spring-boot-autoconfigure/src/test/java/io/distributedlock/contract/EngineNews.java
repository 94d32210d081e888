package io.distributedlock.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.spi.LockListener;

/**
 * Records the events of an engine. Listeners may be notified a little later than the
 * caller.
 */
final class EngineNews implements LockListener {

	private final AtomicInteger handOvers = new AtomicInteger();

	private final BlockingQueue<Duration> busy = new LinkedBlockingQueue<>();

	private final BlockingQueue<Duration> unavailable = new LinkedBlockingQueue<>();

	private final List<LossReason> losses = new CopyOnWriteArrayList<>();

	int handOvers() {
		return this.handOvers.get();
	}

	/**
	 * Return the wait of the next request that ends busy.
	 */
	Duration busyAfter() {
		return next(this.busy, "busy");
	}

	/**
	 * Return the wait of the next request that ends unavailable.
	 */
	Duration unavailableAfter() {
		return next(this.unavailable, "unavailable");
	}

	List<LossReason> losses() {
		return this.losses;
	}

	private static Duration next(BlockingQueue<Duration> waited, String how) {
		try {
			Duration next = waited.poll(30, TimeUnit.SECONDS);
			if (next != null) {
				return next;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		throw new AssertionError("The listeners were not notified of a request that ended " + how);
	}

	@Override
	public void handedOver(String backend, LockRequest request, Lease lease, Duration waited) {
		this.handOvers.incrementAndGet();
	}

	@Override
	public void busy(String backend, LockRequest request, Duration waited) {
		this.busy.add(waited);
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		this.unavailable.add(waited);
	}

	@Override
	public void lost(String backend, LockRequest request, Lease lease, LossReason reason, Duration heldFor) {
		this.losses.add(reason);
	}

}
