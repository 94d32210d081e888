package io.distributedlock.backend.session;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.Contender;
import io.distributedlock.spi.LockTarget;

/**
 * Contends for a lock from a place in its queue. The contender keeps the entry of its
 * first attempt that waits. Later attempts only look at the place of that entry. An entry
 * that arrives after the withdrawal is not kept.
 *
 * @param <E> the entries of the store
 * @since 0.1.0
 */
public abstract class QueueContender<E extends SessionEntry> implements Contender {

	private final LockTarget target;

	private final Runnable wakeUp;

	// Guarded by the monitor, like the field below. The store is not called while it is
	// held.
	private @Nullable E kept;

	private boolean withdrawn;

	/**
	 * Create a contender.
	 * @param target the target that it contends for
	 * @param wakeUp wakes it to make another attempt
	 */
	protected QueueContender(LockTarget target, Runnable wakeUp) {
		this.target = target;
		this.wakeUp = wakeUp;
	}

	/**
	 * Return the target that the contender contends for.
	 * @return the target
	 */
	public final LockTarget target() {
		return this.target;
	}

	/**
	 * Return the callback that wakes the contender to make another attempt.
	 * @return the wake-up
	 */
	public final Runnable wakeUp() {
		return this.wakeUp;
	}

	/**
	 * Return the entry that an earlier attempt has left in the queue.
	 * @return the entry, or {@code null} if none is kept
	 */
	public final synchronized @Nullable E kept() {
		return this.kept;
	}

	/**
	 * Keep an entry in the queue after an attempt that was busy.
	 * @param entry the entry
	 * @param startWaiting lets events wake the contender
	 * @return {@code false} if the contender was withdrawn before, so the entry has to be
	 * removed
	 */
	public final boolean keep(E entry, Runnable startWaiting) {
		synchronized (this) {
			if (this.withdrawn) {
				return false;
			}
			this.kept = entry;
		}
		// Outside the monitor, since it may wake the contender immediately.
		startWaiting.run();
		if (kept() != entry) {
			// Withdrawn meanwhile.
			stopWaiting(entry);
		}
		return true;
	}

	/**
	 * Stop keeping the entry because it was granted the lock, is gone, or is given up by
	 * the caller.
	 * @return the entry, or {@code null} if none was kept
	 */
	public final @Nullable E leave() {
		E former;
		synchronized (this) {
			former = this.kept;
			this.kept = null;
		}
		if (former != null) {
			stopWaiting(former);
		}
		return former;
	}

	/**
	 * Give up the entry that is kept, if any.
	 */
	public final void giveUp() {
		E former = leave();
		if (former != null) {
			drop(former);
		}
	}

	@Override
	public final void withdraw() {
		synchronized (this) {
			this.withdrawn = true;
		}
		giveUp();
	}

	/**
	 * Stop an entry from waking the contender. This may be repeated.
	 * @param entry the entry
	 */
	protected abstract void stopWaiting(E entry);

	/**
	 * Give up an entry that is not kept, whether it waits or is held. It is removed from
	 * the queue in the background.
	 * @param entry the entry
	 */
	protected abstract void drop(E entry);

}
