package io.distributedlock.transaction;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.distributedlock.Lease;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LeaseRetention;

/**
 * Keeps a lease whose body has ended inside a running transaction until that transaction
 * has completed, whatever its outcome. So the lock is not released before the writes of
 * the body are visible. Shortly before the commit, a lease that is no longer held rolls
 * the transaction back, unless the body tolerates its loss. A loss between this check and
 * the commit itself is caught only by a resource that compares fencing tokens.
 * <p>
 * Follows the transaction that is active on the thread when the body ends, even if it is
 * suspended later. A nested transaction with savepoints counts as its enclosing
 * transaction. Supports transaction managers that synchronize with the thread, as all of
 * Spring's do by default, but no reactive transactions.
 *
 * @since 0.1.0
 */
public final class TransactionLeaseRetention implements LeaseRetention {

	private final WhenActive whenActive;

	/**
	 * Create a retention.
	 * @param whenActive how to treat a lock request inside a transaction
	 */
	public TransactionLeaseRetention(WhenActive whenActive) {
		this.whenActive = whenActive;
	}

	@Override
	public void opening(LockRequest request) {
		if (this.whenActive == WhenActive.REFUSE && TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalTransactionStateException("The lock on " + LockKeys.printable(request.getKeys().toString())
					+ " is asked for inside a running transaction, which is refused here"
					+ " (lock.transactions.when-active): others would see what the transaction does only after the"
					+ " lock was released, or it would have to be held until then");
		}
	}

	@Override
	public boolean keep(Lease lease, Runnable release) {
		return keep(new KeptLease(lease, true, release));
	}

	@Override
	public boolean keepIgnoringLoss(Lease lease, Runnable release) {
		return keep(new KeptLease(lease, false, release));
	}

	private static boolean keep(KeptLease lease) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| !TransactionSynchronizationManager.isActualTransactionActive()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(lease);
		return true;
	}

	/**
	 * How to treat a lock request inside a running transaction.
	 */
	public enum WhenActive {

		/**
		 * The lock is held until the transaction has completed.
		 */
		HOLD,

		/**
		 * The request is refused before the store is asked.
		 */
		REFUSE

	}

}
