package io.distributedlock.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import io.distributedlock.transaction.TransactionLeaseKeeper.WhenActive;

/**
 * Properties of locks around and inside transactions.
 *
 * @param checkBeforeCommit Whether a transaction that was begun inside a lock is rolled
 * back when the lease is lost before it commits.
 * @param commitMargin How much of the lease has to be left for the commit; with less it
 * is extended first. By default the time-out of one call to the store.
 * @param whenActive What becomes of a lock that is asked for inside a running
 * transaction.
 */
@ConfigurationProperties("lock.transactions")
record LockTransactionProperties(@DefaultValue("true") boolean checkBeforeCommit, @Nullable Duration commitMargin,
		@DefaultValue("hold") WhenActive whenActive) {

	Duration marginOr(Duration callTimeout) {
		if (this.commitMargin == null) {
			return callTimeout;
		}
		if (this.commitMargin.isNegative()) {
			throw new InvalidConfigurationPropertyValueException("lock.transactions.commit-margin", this.commitMargin,
					"It must not be negative; 0 only asks whether the lease is held.");
		}
		return this.commitMargin;
	}

}
