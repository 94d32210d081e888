package io.distributedlock.backend;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.distributedlock.spi.BackendConnection;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews leases at a store.
 *
 * @since 0.1.0
 */
public interface LeaseRenewals {

	/**
	 * Lengthen leases, as {@link BackendConnection#renew} promises it.
	 * @param renewals the renewals
	 * @return one outcome for each renewal, in their order
	 */
	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals);

}
