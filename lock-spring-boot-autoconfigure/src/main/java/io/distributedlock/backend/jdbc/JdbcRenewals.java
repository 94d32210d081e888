package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.spi.BackendListener;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

/**
 * Renews leases, all of a call together where the database can.
 */
final class JdbcRenewals {

	private static final Logger logger = LoggerFactory.getLogger(JdbcRenewals.class);

	private static final Comparator<Renewal> BY_KEY = Comparator.comparing((renewal) -> renewal.grant().target().key());

	private final DedicatedConnectionExecutor executor;

	private final BackendListener listener;

	private final LockClock clock;

	JdbcRenewals(DedicatedConnectionExecutor executor, BackendListener listener, LockClock clock) {
		this.executor = executor;
		this.listener = listener;
		this.clock = clock;
	}

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		return this.executor.submit((connection) -> {
			// Sorted, so that statements lock their rows in the same order.
			List<Renewal> sorted = renewals.stream().sorted(BY_KEY).toList();
			List<RenewalOutcome> outcomes = renewSorted(connection, sorted);
			Map<Renewal, RenewalOutcome> byRenewal = new HashMap<>();
			for (int i = 0; i < sorted.size(); i++) {
				byRenewal.put(sorted.get(i), outcomes.get(i));
			}
			return renewals.stream().map(byRenewal::get).toList();
		});
	}

	private List<RenewalOutcome> renewSorted(PinnedConnection connection, List<Renewal> renewals) {
		CallDeadline deadline = CallDeadline.in(this.executor.callTimeout(), this.clock);
		try {
			return connection.run(deadline.left().dividedBy(2), (each) -> send(each, renewals));
		}
		catch (SQLException | RuntimeException ex) {
			logger.debug("Leases could not be renewed together: one by one now", ex);
		}
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			outcomes.add(renewAlone(connection, renewal, deadline));
		}
		return outcomes;
	}

	private RenewalOutcome renewAlone(PinnedConnection connection, Renewal renewal, CallDeadline deadline) {
		if (deadline.isPassed()) {
			return new RenewalOutcome.Unknown(
					new LockUnavailableException("There was no time left to renew the lease on '"
							+ renewal.grant().target().key() + "' with others"));
		}
		try {
			// A row that is stuck takes half of the time, and leaves the other half to
			// the next.
			return connection.run(deadline.left().dividedBy(2), (each) -> send(each, List.of(renewal))).get(0);
		}
		catch (SQLException | RuntimeException ex) {
			return new RenewalOutcome.Unknown(this.executor.explain(ex));
		}
	}

	private List<RenewalOutcome> send(LockConnection connection, List<Renewal> renewals) throws SQLException {
		long sentAt = this.clock.nanoTime();
		List<LeaseStatus> stand = new LeaseSql(connection).renew(renewals);
		List<RenewalOutcome> outcomes = new ArrayList<>(renewals.size());
		for (int i = 0; i < renewals.size(); i++) {
			stand.get(i).report(renewals.get(i).grant(), this.listener);
			outcomes.add(stand.get(i).stands()
					? new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, renewals.get(i).ttl()))
					: new RenewalOutcome.Lost());
		}
		return outcomes;
	}

}
