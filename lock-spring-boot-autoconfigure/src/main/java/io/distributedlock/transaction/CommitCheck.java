package io.distributedlock.transaction;

import java.time.Duration;
import java.util.function.Supplier;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.distributedlock.InvalidLockRequestException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LossReason;
import io.distributedlock.spi.Scopes;

/**
 * Checks the leases of the enclosing locks immediately before a transaction commits, and
 * rolls the transaction back if one of them is no longer held. A lease with less than the
 * margin left is extended first, in one round trip.
 * <p>
 * This leaves the commit itself as the only window in which a holder that lost its lease
 * can still write. Only a {@linkplain io.distributedlock.fencing.FencingGuard guard} in
 * the same transaction closes it. Leases whose bodies tolerate a loss are not checked,
 * nor are those of {@code acquire}, which belong to no thread. Read-only transactions are
 * not checked either.
 *
 * @since 0.1.0
 */
public final class CommitCheck implements TransactionExecutionListener {

	private final Supplier<Scopes> scopes;

	private final Duration margin;

	/**
	 * Create a check.
	 * @param scopes supplies the scopes whose leases are checked; called at each commit
	 * @param margin how much of a lease has to be left for a commit
	 */
	public CommitCheck(Supplier<Scopes> scopes, Duration margin) {
		this.scopes = scopes;
		this.margin = margin;
	}

	/**
	 * Check the leases that the running code holds.
	 * @throws LeaseLostException if one of them is lost, or can't be extended for long
	 * enough
	 * @throws io.distributedlock.LockUnavailableException if one of them has too little
	 * left and the store could not be asked
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (!transaction.isReadOnly()) {
			this.scopes.get().leasesThatMatter().forEach(this::check);
		}
	}

	private void check(Lease lease) {
		String key = lease.keys().get(0);
		if (!lease.isHeld()) {
			throw new LeaseLostException(key, LossReason.EXPIRED, "The lease on '" + key
					+ "' was lost before the transaction inside it could commit; the transaction is rolled back");
		}
		if (lease.remaining().compareTo(this.margin) >= 0) {
			return;
		}
		try {
			lease.extend(this.margin.multipliedBy(2));
		}
		catch (InvalidLockRequestException ex) {
			LeaseLostException lost = new LeaseLostException(key, LossReason.MAX_HOLD, "The lease on '" + key
					+ "' reaches its maximum hold in less than the " + this.margin.toMillis()
					+ " ms that have to be left for the commit of a transaction inside it (lock.transactions.commit-margin);"
					+ " the transaction is rolled back");
			lost.initCause(ex);
			throw lost;
		}
	}

}
