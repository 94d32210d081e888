package io.distributedlock.backend;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;

/**
 * Gives back to a store what it granted, or may have granted.
 *
 * @since 0.1.0
 */
public interface LeaseReleases {

	/**
	 * Release a lease, as {@link BackendConnection#release} promises it.
	 * @param grant the lease as it was granted
	 * @param cooldown how long the lock stays unavailable to everybody after that
	 * @return {@code false} if the lease no longer stood
	 */
	CompletionStage<Boolean> release(LeaseGrant grant, Duration cooldown);

	/**
	 * Make sure that no lease of attempts without a grant stands, as
	 * {@link BackendConnection#abandon} promises it.
	 * @param orphans the attempts
	 * @return completed when the store was asked for all of them
	 */
	CompletionStage<Void> abandon(List<Orphan> orphans);

}
