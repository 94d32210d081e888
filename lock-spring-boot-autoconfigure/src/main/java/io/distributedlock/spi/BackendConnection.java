package io.distributedlock.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.distributedlock.LockInfo;

/**
 * Asks a store for leases, from {@link LockBackend#connect(BackendListener)} until
 * {@link #close()}.
 * <p>
 * Every method that returns a stage returns soon and completes the stage within the call
 * timeout, exceptionally if the store could not be asked. The exception is that of the
 * driver or a {@link io.distributedlock.LockUnavailableException}. If the store refuses
 * the call permanently, it is a {@link io.distributedlock.LockRefusedException}. Stages
 * may be completed on any thread of the backend; the engine does no blocking work there.
 * <p>
 * A driver may send a request twice, for example after a lost connection. If the second
 * request finds no lease, either the first one released it or there was none before. The
 * outcome of {@link #release} and {@link #forceRelease} is then <em>unknown</em>, and the
 * stage is completed exceptionally. The result is {@code true} only if an answer of the
 * store says so. It is {@code false} only if that is certain: a request that was sent
 * once found no lease, or the lease is known to have ended before.
 * <p>
 * The backend receives keys as the application wrote them, valid by the rules of
 * {@link io.distributedlock.LockRequest}. It adds its prefix and stores any two different
 * keys separately.
 * <p>
 * Safe for use by several threads.
 *
 * @since 0.1.0
 */
public interface BackendConnection extends AutoCloseable {

	/**
	 * Return the currently known capabilities of the store. Compared with the
	 * {@linkplain LockBackend#traits() traits} of the backend, some may be missing at the
	 * server, but none are added.
	 * @return the traits
	 */
	BackendTraits traits();

	/**
	 * Return how this backend grants a target with several keys.
	 * @param target a target with several keys
	 * @return the way; always the same for the same keys and mode, except that it may be
	 * {@link SeveralKeys#ONE_BY_ONE} until the store is known and
	 * {@link SeveralKeys#AT_ONCE} from then on
	 */
	default SeveralKeys severalKeys(LockTarget target) {
		return SeveralKeys.ONE_BY_ONE;
	}

	/**
	 * Begin to contend for a lock, without sending a request yet.
	 * @param target what to lock
	 * @param wakeUp to be run when another attempt is worthwhile, on any thread;
	 * superfluous calls are harmless, missing ones delay the waiter; does not block
	 * @return the contender, used by one attempt at a time
	 */
	Contender contend(LockTarget target, Runnable wakeUp);

	/**
	 * Determine whether the release of a lock wakes its contenders. Called while a
	 * contender of this backend waits for that lock.
	 * @param target the lock
	 * @return {@code true} as soon as this backend receives release notifications,
	 * {@code false} if its contenders poll; completed exceptionally if the store does not
	 * permit notifications, with a {@link io.distributedlock.LockRefusedException} if a
	 * right is missing
	 */
	default CompletionStage<Boolean> wakesContenders(LockTarget target) {
		return CompletableFuture.completedFuture(false);
	}

	/**
	 * Extend leases, each in one atomic step that compares the owner id. Repeatable.
	 * Never shortens a lease, and never revives one that has expired.
	 * @param renewals at most {@link BackendTraits#renewalBatch()} of them
	 * @return one outcome for each renewal, in their order; completed exceptionally if
	 * the outcome of all of them is unknown
	 */
	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals);

	/**
	 * Release a lease in one atomic step that compares the owner id and token, and wake
	 * the waiting contenders. Repeatable.
	 * @param grant the lease as it was granted
	 * @param cooldown how long the lock stays unavailable to every client afterwards;
	 * zero for none
	 * @return {@code false} if the lease had ended before; completed exceptionally if the
	 * outcome is unknown, for example because the request was repeated and found no lease
	 */
	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown);

	/**
	 * Release a lease for a caller that waits for the answer. A backend whose driver
	 * blocks may use the calling thread for that. By default the backend is asked as by
	 * the other method.
	 * @param grant the lease as it was granted
	 * @param cooldown how long the lock stays unavailable to every client afterwards;
	 * zero for none
	 * @param patience how long the call may block the calling thread; zero if it must not
	 * block at all
	 * @return as for {@link #release(LeaseGrant, Duration)}
	 */
	default CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown, Duration patience) {
		return release(grant, cooldown);
	}

	/**
	 * Make sure that no lease with these owner ids exists, for attempts that ended
	 * without a grant and whose outcome is unknown. Repeatable; the engine repeats it
	 * until one TTL has passed, because the store may still execute an earlier request
	 * afterwards.
	 * @param orphans the attempts
	 * @return completed when the store was asked for all of them
	 */
	CompletionStage<Void> abandon(List<Orphan> orphans);

	/**
	 * Find the holder of a key.
	 * @param key the key
	 * @return information about the lock, or empty if the key has no holder; of several
	 * holders the one with the smallest token
	 */
	CompletionStage<Optional<LockInfo>> find(String key);

	/**
	 * List a page of the locks that are held under this backend's prefix. A store reads
	 * about as much as the page shows, so a page may also be shorter, or even empty, and
	 * not be the last one.
	 * <p>
	 * The pages are no snapshot. A lock that is held while all of them are read is on one
	 * of them, and if the store walks a hash table, perhaps on two. If the servers of the
	 * store change meanwhile, it may be on none.
	 * @param next the value from the previous page, or {@code null} for the first one
	 * @param limit the greatest number of keys, at least one; all holders of a key are on
	 * the same page
	 * @return the page; completed exceptionally with an
	 * {@link io.distributedlock.InvalidLockRequestException} if the store can't read
	 * {@code next}
	 */
	CompletionStage<LockPage> list(@Nullable String next, int limit);

	/**
	 * Return what is known of the nodes of the store, without asking them.
	 * @return the nodes in the order of the configuration; empty if this connection does
	 * not know them separately
	 */
	default List<NodeStatus> nodes() {
		return List.of();
	}

	/**
	 * Return what is known of the session that keeps the leases, without asking the
	 * store.
	 * @return the session, or {@code null} if there is none
	 */
	default @Nullable SessionStatus session() {
		return null;
	}

	/**
	 * Take a lock away from all its holders, in the same atomic step that begins the
	 * cooldown. From then on the key has no holder, and every attempt finds it busy until
	 * the cooldown is over by the store's clock. A key without a holder is left
	 * unchanged: a cooldown that is running already is neither ended nor shortened, and
	 * no other begins. If a store consists of several nodes, the step is atomic on each
	 * of them.
	 * @param key the key
	 * @param cooldown how long the lock stays unavailable to every client afterwards;
	 * zero for none
	 * @return whether the key had a holder; completed exceptionally if the outcome is
	 * unknown, for example because the request was repeated and found no holder
	 */
	CompletionStage<Boolean> forceRelease(String key, Duration cooldown);

	/**
	 * Close everything that was opened, and end the calls that are under way, which then
	 * fail. The engine has released its leases before and makes no further calls.
	 * Repeatable.
	 */
	@Override
	void close();

}
