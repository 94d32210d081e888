package io.distributedlock.transaction;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.distributedlock.Lease;
import io.distributedlock.LockKeys;
import io.distributedlock.LockRequest;
import io.distributedlock.spi.LeaseRetention;

/**
 * Keeps a lease whose body has ended inside a running transaction until that transaction
 * has completed, in whatever way: nobody else gets the lock before what the body wrote
 * can be seen. Shortly before the commit a lease that is no longer held rolls the
 * transaction back; what happens between this look and the commit itself only a resource
 * that compares fencing tokens refuses.
 * <p>
 * Follows the transaction that is active on the thread when the body ends, also where it
 * is suspended later; one with savepoints counts as the one that it is nested in. Sees
 * transactions of managers that synchronize with their thread, as all of Spring's do by
 * default, and none that are reactive.
 *
 * @since 0.1.0
 */
public final class TransactionLeaseRetention implements LeaseRetention {

	private final WhenActive whenActive;

	/**
	 * Create a keeper.
	 * @param whenActive what becomes of a lock that is asked for inside a transaction
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
	 * What becomes of a lock that is asked for inside a running transaction.
	 */
	public enum WhenActive {

		/**
		 * It is held until the transaction has completed.
		 */
		HOLD,

		/**
		 * It is refused before the store is asked.
		 */
		REFUSE

	}

}
