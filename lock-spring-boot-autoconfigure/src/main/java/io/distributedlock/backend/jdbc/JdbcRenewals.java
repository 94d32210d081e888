package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
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
 * Renews leases, those of one call together if the database supports it. Exclusive leases
 * come first, and their outcomes do not depend on those of members, whose keys may have a
 * row that another client keeps locked.
 */
final class JdbcRenewals {

	private static final Logger logger = LoggerFactory.getLogger(JdbcRenewals.class);

	private static final Comparator<Renewal> BY_KEY = Comparator.comparing((renewal) -> renewal.grant().target().key());

	private final JdbcLockDatabase database;

	private final DedicatedConnectionExecutor executor;

	private final BackendListener listener;

	JdbcRenewals(JdbcLockDatabase database, DedicatedConnectionExecutor executor, BackendListener listener) {
		this.database = database;
		this.executor = executor;
		this.listener = listener;
	}

	CompletionStage<List<RenewalOutcome>> renew(List<Renewal> renewals) {
		List<Renewal> members = renewals.stream().filter(JdbcRenewals::isOfMember).toList();
		if (members.isEmpty() || members.size() == renewals.size()) {
			return renewSorted(renewals).thenApply((outcomes) -> inOrder(renewals, outcomes));
		}
		List<Renewal> exclusive = renewals.stream().filter((renewal) -> !isOfMember(renewal)).toList();
		CompletionStage<Map<Renewal, RenewalOutcome>> first = renewSorted(exclusive);
		return renewSorted(members).exceptionally((fault) -> unknown(members, fault))
			.thenCombine(first, JdbcRenewals::union)
			.thenApply((outcomes) -> inOrder(renewals, outcomes));
	}

	private static boolean isOfMember(Renewal renewal) {
		return renewal.grant().target().isGroup();
	}

	private static List<RenewalOutcome> inOrder(List<Renewal> renewals, Map<Renewal, RenewalOutcome> outcomes) {
		return renewals.stream().map(outcomes::get).toList();
	}

	private static Map<Renewal, RenewalOutcome> unknown(List<Renewal> renewals, Throwable fault) {
		Map<Renewal, RenewalOutcome> outcomes = new HashMap<>();
		renewals.forEach((renewal) -> outcomes.put(renewal, new RenewalOutcome.Unknown(fault)));
		return outcomes;
	}

	private static Map<Renewal, RenewalOutcome> union(Map<Renewal, RenewalOutcome> one,
			Map<Renewal, RenewalOutcome> other) {
		Map<Renewal, RenewalOutcome> union = new HashMap<>(one);
		union.putAll(other);
		return union;
	}

	// Sorted, so that statements lock their rows in the same order.
	private CompletionStage<Map<Renewal, RenewalOutcome>> renewSorted(List<Renewal> renewals) {
		return this.executor.submit((executor) -> renewHere(renewals.stream().sorted(BY_KEY).toList()));
	}

	private Map<Renewal, RenewalOutcome> renewHere(List<Renewal> renewals) throws SQLException {
		CallDeadline deadline = this.database.deadline();
		if (areRenewedTogether(renewals)) {
			try {
				return this.executor.run(deadline.left().dividedBy(2), (connection) -> send(connection, renewals));
			}
			catch (SQLException | RuntimeException ex) {
				logger.debug("Leases could not be renewed together and are renewed one by one", ex);
			}
		}
		Map<Renewal, RenewalOutcome> outcomes = new HashMap<>();
		renewals.forEach((renewal) -> outcomes.putAll(renewAlone(renewal, deadline)));
		return outcomes;
	}

	/**
	 * Return whether the leases are renewed by one statement, or by statements that need
	 * not wait for other clients.
	 */
	private boolean areRenewedTogether(List<Renewal> renewals) throws SQLException {
		return renewals.stream().noneMatch(JdbcRenewals::isOfMember)
				|| this.executor.connection().table().dialect().has(Dialect.Trait.ARRAYS);
	}

	private Map<Renewal, RenewalOutcome> renewAlone(Renewal renewal, CallDeadline deadline) {
		if (deadline.isPassed()) {
			return Map.of(renewal,
					new RenewalOutcome.Unknown(
							new LockUnavailableException("There was no time left to renew the lease on '"
									+ renewal.grant().target().key() + "' with others")));
		}
		try {
			// A renewal that hangs takes half of the remaining time, and leaves the other
			// half to the next ones.
			return this.executor.run(deadline.left().dividedBy(2), (connection) -> send(connection, List.of(renewal)));
		}
		catch (SQLException | RuntimeException ex) {
			return Map.of(renewal, new RenewalOutcome.Unknown(
					this.database.explain(ex, TableAccess.changing(renewal.grant().target()))));
		}
	}

	private Map<Renewal, RenewalOutcome> send(LockConnection connection, List<Renewal> renewals) throws SQLException {
		long sentAt = this.database.clock().nanoTime();
		List<LeaseStatus> stand = new LeaseSql(connection).renew(renewals);
		Map<Renewal, RenewalOutcome> outcomes = new HashMap<>();
		for (int i = 0; i < renewals.size(); i++) {
			Renewal renewal = renewals.get(i);
			stand.get(i).report(renewal.grant(), this.listener);
			outcomes.put(renewal,
					stand.get(i).stands() ? new RenewalOutcome.Renewed(LockClock.validUntil(sentAt, renewal.ttl()))
							: new RenewalOutcome.Lost());
		}
		return outcomes;
	}

}
