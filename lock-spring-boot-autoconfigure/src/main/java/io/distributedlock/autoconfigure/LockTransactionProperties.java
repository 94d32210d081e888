package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.distributedlock.LockRequest;
import io.distributedlock.transaction.TransactionLeaseRetention.WhenActive;

/**
 * Properties of locks around and inside transactions.
 *
 * @param checkBeforeCommit Whether a transaction inside a lock is rolled back if the
 * lease is lost before it commits.
 * @param commitMargin How much of the lease has to be left for the commit; with less it
 * is extended first. By default the timeout of one call to the store.
 * @param whenActive How to treat a lock request inside a running transaction.
 */
@ConfigurationProperties("lock.transactions")
record LockTransactionProperties(@DefaultValue("true") boolean checkBeforeCommit, @Nullable Duration commitMargin,
		@DefaultValue("hold") WhenActive whenActive) implements InitializingBean {

	/**
	 * A lease with less left is extended to twice the margin.
	 */
	private static final DurationBounds MARGIN = new DurationBounds(Duration.ZERO,
			LockRequest.MAX_HOLD_TIME.dividedBy(2));

	/**
	 * Validates here instead of in the constructor, because a binding failure would be
	 * less specific.
	 */
	@Override
	public void afterPropertiesSet() {
		MARGIN.check("lock.transactions.commit-margin", this.commitMargin, "0 only asks whether the lease is held");
	}

	Duration marginOr(Duration callTimeout) {
		return (this.commitMargin != null) ? this.commitMargin : callTimeout;
	}

}
