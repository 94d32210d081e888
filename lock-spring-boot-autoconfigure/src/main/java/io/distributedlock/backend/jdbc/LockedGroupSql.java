package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;

/**
 * Changes members in transactions. The first statement locks the row of the key, and the
 * later ones see the members as they are from then on.
 * <p>
 * No transaction is rolled back unless a statement fails, because HSQLDB forgets the
 * sessions that wait for one that rolls back. What was done for a member that is then
 * refused leaves the row of the key as it was, except for a greater token.
 */
class LockedGroupSql extends GroupSql {

	LockedGroupSql(LockConnection connection) {
		super(connection);
	}

	@Override
	@Nullable Long enter(LockTarget target, LeaseRequest request) throws SQLException {
		Map<String, @Nullable Object> values = values(target, request);
		return connection().transaction((transaction) -> {
			Optional<Long> token = Optional.ofNullable(transaction.token("enter", values));
			if (token.isEmpty()) {
				return token;
			}
			if (request.permits() > 0 && places(transaction, values) >= request.permits()) {
				transaction.update("settle-gate", values);
				return Optional.<Long>empty();
			}
			if (!table().dialect().has(Dialect.Trait.LOCKS_GAPS)) {
				transaction.update("clean-members", values);
			}
			transaction.update("insert-member", values);
			return token;
		}).orElse(null);
	}

	private static long places(OpenTransaction transaction, Map<String, @Nullable Object> values) throws SQLException {
		Long places = transaction.queryFirst("count-members", values, (row) -> row.getLong("places"));
		return (places != null) ? places : 0;
	}

	/**
	 * Create the row. Members that it may have had before it was lost are removed before
	 * other clients see the row.
	 */
	@Override
	void createRow(String key) throws SQLException {
		Map<String, @Nullable Object> values = Map.of("key", table().key(key), "ends", LeaseRelease.OVER.toMillis());
		try {
			connection().transaction((transaction) -> {
				transaction.update("create-row", values);
				return transaction.update("clear-members", values);
			});
		}
		catch (SQLException ex) {
			if (!SqlFaults.isDuplicateKey(ex)) {
				throw ex;
			}
		}
	}

	@Override
	LeaseStatus leave(Map<String, @Nullable Object> values, boolean cools) throws SQLException {
		return change(cools ? "cool-member" : "leave-member", values);
	}

	@Override
	List<LeaseStatus> renew(List<Renewal> renewals) throws SQLException {
		List<LeaseStatus> stand = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			stand.add(renew(values(renewal)));
		}
		return stand;
	}

	private LeaseStatus renew(Map<String, @Nullable Object> values) throws SQLException {
		if (!table().dialect().has(Dialect.Trait.JOINS)) {
			return change("renew-member", values);
		}
		if (!connection().update(statement("renew-member"), values)) {
			return LeaseStatus.GONE;
		}
		LeaseStatus status = connection().queryFirst(statement("writer"), values, LeaseStatus::of);
		return (status != null) ? status : LeaseStatus.of(true);
	}

	/**
	 * Change a member, and let the row of the key expire with the latest one.
	 * @param step the statement that changes the member
	 * @param values the values of all statements
	 * @return whether the lease stands, or stood, and whether a waiter has closed the
	 * group
	 * @throws SQLException if a database access error occurs
	 */
	LeaseStatus change(String step, Map<String, @Nullable Object> values) throws SQLException {
		return connection().transaction((transaction) -> {
			if (!transaction.update("lock-gate", values) || !transaction.update(step, values)) {
				return LeaseStatus.GONE;
			}
			transaction.update("settle-gate", values);
			LeaseStatus status = transaction.queryFirst("writer", values, LeaseStatus::of);
			return (status != null) ? status : LeaseStatus.of(true);
		});
	}

	@Override
	boolean force(String key, GroupKind kind, long ends) throws SQLException {
		Map<String, @Nullable Object> values = values(LockTarget.of(key, kind.mode()), "");
		values.put("ends", ends);
		values.put("first", values.get("key"));
		values.put("last", values.get("key"));
		return connection().transaction((transaction) -> {
			if (!transaction.update("lock-gate", values)
					|| transaction.queryFirst("members", values, (row) -> true) == null) {
				return false;
			}
			transaction.update("clear-members", values);
			return transaction.update("vacate-gate", values);
		});
	}

}
