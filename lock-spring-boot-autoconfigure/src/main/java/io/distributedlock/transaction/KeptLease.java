package io.distributedlock.transaction;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LossReason;

/**
 * A lease that is kept until the end of a transaction.
 */
class KeptLease implements TransactionSynchronization {

	private final Lease lease;

	private final boolean checked;

	private final Runnable release;

	// Confined to the transaction, whose callbacks follow each other.
	private boolean releasesLater;

	KeptLease(Lease lease, boolean checked, Runnable release) {
		this.lease = lease;
		this.checked = checked;
		this.release = release;
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.checked && !this.lease.isHeld()) {
			String key = this.lease.keys().get(0);
			throw new LeaseLostException(key, LossReason.EXPIRED, "The lease on '" + key
					+ "' was lost before the transaction that it was kept for could commit; the transaction is rolled"
					+ " back");
		}
	}

	/**
	 * Register the release as the last synchronization. Others may have registered after
	 * this one with the same order; a synchronization that is registered now comes after
	 * all of them.
	 */
	@Override
	public void beforeCompletion() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new Release());
			this.releasesLater = true;
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (!this.releasesLater) {
			this.release.run();
		}
	}

	/**
	 * Releases the lease after all other synchronizations of the transaction.
	 */
	private final class Release implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void afterCompletion(int status) {
			KeptLease.this.release.run();
		}

	}

}
