package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockInfo;

/**
 * Asks a store for leases, from {@link LockBackend#connect(BackendListener)} until
 * {@link #close()}.
 * <p>
 * Every method that returns a stage returns soon and completes the stage within the call
 * timeout, exceptionally if the store could not be asked. The exception is the driver's
 * or a {@link io.distributedlock.LockUnavailableException}, and a
 * {@link io.distributedlock.LockRefusedException} if the store refuses the call for good.
 * Stages may be completed on any thread of the backend; the engine does no blocking work
 * there.
 * <p>
 * A driver may send a request twice, as after a lost connection. If the second one finds
 * nothing, the first one may have done its work or there was nothing before: the outcome
 * of {@link #release} and {@link #forceRelease} is <em>unknown</em> then, and the stage
 * is completed exceptionally. They answer {@code true} only if an answer of the store
 * says so, and {@code false} only if that is certain: nothing was there for a request
 * that was sent once, or the lease is known to have ended before.
 * <p>
 * Keys reach the backend as the application wrote them, valid by the rules of
 * {@link io.distributedlock.LockRequest}; the backend adds its prefix and keeps any two
 * keys apart.
 * <p>
 * Safe for use by several threads.
 *
 * @since 0.1.0
 */
public interface BackendConnection extends AutoCloseable {

	/**
	 * Return what the store can do, as far as it is known by now: what was found at the
	 * server can only take away from the {@linkplain LockBackend#traits() traits} of the
	 * backend.
	 * @return the traits
	 */
	BackendTraits traits();

	/**
	 * Begin to contend for a lock. Sends nothing yet.
	 * @param target what to lock
	 * @param wakeUp to be run, on any thread and rather too often than too seldom, when
	 * another attempt is worth while; does not block
	 * @return the contender, used by one attempt at a time
	 */
	Contender contend(LockTarget target, Runnable wakeUp);

	/**
	 * Find out whether the release of a lock wakes the contenders for it. Called while a
	 * contender of this backend waits for that lock.
	 * @param target the lock
	 * @return {@code true} as soon as this backend hears releases, {@code false} if its
	 * contenders poll; completed exceptionally if the store does not let it hear, with a
	 * {@link io.distributedlock.LockRefusedException} if a right is missing
	 */
	default CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return CompletableFuture.completedFuture(false);
	}

	/**
	 * Lengthen leases, each in one atomic step that compares the owner id. Repeatable.
	 * Never brings an expiry nearer, and never revives a lease that has run out.
	 * @param renewals at most {@link BackendTraits#renewalBatch()} of them
	 * @return one outcome for each renewal, in their order; completed exceptionally where
	 * the outcome of all of them is unknown
	 */
	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals);

	/**
	 * Release a lease in one atomic step that compares the owner id and token, and wake
	 * the contenders that wait. Repeatable.
	 * @param grant the lease as it was granted
	 * @param cooldown how long the lock stays unavailable to every client after that;
	 * zero for none
	 * @return {@code false} if the lease no longer stood; completed exceptionally if the
	 * outcome is unknown, also because the request may have been executed before and
	 * found nothing now
	 */
	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown);

	/**
	 * Make sure that no lease of these owner ids stands: for attempts that ended without
	 * a grant and whose outcome is unknown. Repeatable; the engine repeats it until one
	 * ttl has passed, because a request may still be executed after this.
	 * @param orphans the attempts
	 * @return completed when the store was asked for all of them
	 */
	CompletionStage<Void> abandon(List<Orphan> orphans);

	/**
	 * Find who holds a key.
	 * @param key the key
	 * @return what the store knows, or empty where nobody holds it
	 */
	CompletionStage<Optional<LockInfo>> find(String key);

	/**
	 * List the locks that are held under this backend's prefix.
	 * @return the locks in no particular order
	 */
	CompletionStage<List<LockInfo>> list();

	/**
	 * Take a lock away from its holder, in the same atomic step that begins the cooldown.
	 * The key has no holder from then on, and every attempt finds it busy until the
	 * cooldown is over by the store's clock. A key without a holder stays as it is: a
	 * cooldown that runs already is neither ended nor shortened, and none begins. Where a
	 * store consists of several nodes, the step is atomic on each of them.
	 * @param key the key
	 * @param cooldown how long the lock stays unavailable to every client after that;
	 * zero for none
	 * @return whether the key had a holder; completed exceptionally if the outcome is
	 * unknown, also because the request may have been executed before and found nothing
	 * now
	 */
	CompletionStage<Boolean> forceRelease(String key, Duration cooldown);

	/**
	 * Close what was opened, and end what is under way. The engine has released its
	 * leases before; it makes no further calls, and those that are under way fail.
	 * Repeatable.
	 */
	@Override
	void close();

}
