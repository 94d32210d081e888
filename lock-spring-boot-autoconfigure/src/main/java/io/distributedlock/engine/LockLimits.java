package io.distributedlock.engine;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.LockKeys;
import io.distributedlock.LockLimitException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.BoundedCount.Reached;

/**
 * Limits the leases and the waiters of one instance of an application, at all its stores.
 * <p>
 * A waiter is a call that was admitted and has no outcome yet. A lease counts while it is
 * held. Callers that were admitted at the same time may get more leases than the limit
 * allows; those in excess are given back, and their callers are refused then.
 *
 * @since 0.1.0
 */
public final class LockLimits {

	private final LimitSettings settings;

	private final BoundedCount held;

	private final BoundedCount waiters;

	/**
	 * Create limits.
	 * @param settings the numbers
	 */
	public LockLimits(LimitSettings settings) {
		this.settings = settings;
		this.held = new BoundedCount(settings.maxHeld(), settings.maxHeldPerName());
		this.waiters = new BoundedCount(settings.maxWaiters(), settings.maxWaitersPerName());
	}

	/**
	 * Return whether leases or waiters are limited. Otherwise nothing is counted.
	 */
	boolean isLimited() {
		return this.settings.countsAny();
	}

	/**
	 * Refuse a request with too many keys.
	 */
	void checkKeys(LockRequest request) {
		int count = request.getKeys().size();
		if (count > this.settings.maxKeys()) {
			throw new InvalidLockRequestException(LockKeys.printable("A lock was requested on " + count + " keys, '"
					+ request.getKeys().get(0) + "' first, which" + " is more than lock.limits.max-keys = "
					+ this.settings.maxKeys() + ". Take a coarser lock, or raise the limit"));
		}
	}

	/**
	 * Admit a call as a waiter.
	 * @param onRefusal receives a refused request and the name of the limit
	 * @return the place of the waiter, to be freed when the outcome of the call is
	 * decided
	 * @throws LockLimitException if a limit is reached
	 */
	Slot admit(LockRequest request, BiConsumer<LockRequest, String> onRefusal) {
		String name = nameOf(request);
		refuseIfReached(this.held.reached(name), request, onRefusal, "max-held", this.settings.maxHeld(),
				this.settings.maxHeldPerName(), "holds");
		refuseIfReached(this.waiters.take(name), request, onRefusal, "max-waiters", this.settings.maxWaiters(),
				this.settings.maxWaitersPerName(), "waits for");
		return new Slot(this.waiters, name);
	}

	/**
	 * Count a lease that is about to be delivered.
	 * @param onRefusal receives a refused request and the name of the limit
	 * @return the place of the lease, to be freed when it is no longer held
	 * @throws LockLimitException if a limit is reached
	 */
	Slot hold(LockRequest request, BiConsumer<LockRequest, String> onRefusal) {
		String name = nameOf(request);
		refuseIfReached(this.held.take(name), request, onRefusal, "max-held", this.settings.maxHeld(),
				this.settings.maxHeldPerName(), "holds");
		return new Slot(this.held, name);
	}

	private void refuseIfReached(Reached reached, LockRequest request, BiConsumer<LockRequest, String> onRefusal,
			String property, int max, int maxPerName, String verb) {
		if (reached == Reached.NONE) {
			return;
		}
		boolean named = reached == Reached.NAME;
		String limit = named ? property + "-per-name" : property;
		onRefusal.accept(request, limit);
		throw new LockLimitException(LockKeys.printable("The lock on " + request.getKeys()
				+ " was refused without asking the store: this instance " + verb + " " + (named ? maxPerName : max)
				+ " locks" + (named ? " with the name '" + nameOf(request) + "'" : "") + ", which is the limit of"
				+ " lock.limits." + limit + ". Raise it if the instance can bear more, or find out why locks are"
				+ " held or awaited for so long"));
	}

	/**
	 * Return the name under which a request counts. Requests without one count together.
	 */
	private static String nameOf(LockRequest request) {
		String name = request.getName();
		return (name != null) ? name : "";
	}

	int heldCount() {
		return this.held.count();
	}

	int waiterCount() {
		return this.waiters.count();
	}

	/**
	 * Return whether no lease and no waiter counts.
	 */
	boolean isZero() {
		return this.held.isZero() && this.waiters.isZero();
	}

	/**
	 * The place of a waiter or a lease. May be freed several times, of which the first
	 * counts.
	 */
	@SuppressWarnings("serial")
	static final class Slot extends AtomicBoolean {

		private final transient BoundedCount count;

		private final String name;

		Slot(BoundedCount count, String name) {
			this.count = count;
			this.name = name;
		}

		void free() {
			if (compareAndSet(false, true)) {
				this.count.giveBack(this.name);
			}
		}

	}

}
