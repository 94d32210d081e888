package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;

/**
 * Executes the statements that renew and end leases. Each renewal and release compares
 * owner and token in the same step. If the database accepts arrays, one atomic statement
 * handles several leases.
 *
 * @param connection the connection
 */
record LeaseSql(LockConnection connection) {

	private static final Logger logger = LoggerFactory.getLogger(LeaseSql.class);

	LeaseStatus release(LeaseRelease release) throws SQLException {
		if (release.grant().target().isGroup()) {
			return GroupSql.on(this.connection).leave(release.grant(), release.cooldown());
		}
		if (release.grant().target().keys().size() > 1) {
			return releaseTogether(List.of(release)).get(0);
		}
		Map<String, @Nullable Object> values = values(release.grant(), "ends", release.ends());
		if (has(Dialect.Trait.UPDATES_RETURN)) {
			return table().notices().send(table().statement("release"), (sql) -> status(sql, values));
		}
		boolean stood = this.connection.update(table().statement("release"), values);
		// Whether other clients wait matters only if this JVM has waiters, too, and so
		// has requested tokens to hand over.
		return (stood && release.grant().token().count() > 1) ? statusWithWaiter(values) : LeaseStatus.of(stood);
	}

	private LeaseStatus statusWithWaiter(Map<String, @Nullable Object> values) {
		try {
			LeaseStatus status = status(table().statement("wanted"), values);
			return status.stands() ? status : LeaseStatus.of(true);
		}
		catch (SQLException ex) {
			// The lease is released even if this question fails.
			logger.debug("Whether a client waits for a lock could not be determined", ex);
			return LeaseStatus.of(true);
		}
	}

	/**
	 * Release several leases by one statement, in a database that accepts arrays.
	 * @param releases the releases, in the order of their keys
	 * @return whether each stood
	 * @throws SQLException if a database access error occurs
	 */
	List<LeaseStatus> releaseTogether(List<LeaseRelease> releases) throws SQLException {
		List<LeasePart> parts = LeasePart.of(releases, LeaseRelease::grant, LeaseRelease::ends);
		Map<String, @Nullable Object> values = arrays(parts, "ends");
		return table().notices()
			.send(table().statement("release-all"), (sql) -> statuses(sql, values, parts, releases.size()));
	}

	/**
	 * Renew leases, several by one statement if the database accepts arrays.
	 * @param renewals the renewals, in the order of their keys, either of exclusive
	 * leases or of members of groups
	 * @return whether each stands
	 * @throws SQLException if a database access error occurs
	 */
	List<LeaseStatus> renew(List<Renewal> renewals) throws SQLException {
		if (!renewals.isEmpty() && renewals.get(0).grant().target().isGroup()) {
			return GroupSql.on(this.connection).renew(renewals);
		}
		if (has(Dialect.Trait.ARRAYS) && (renewals.size() > 1 || hasSeveralKeys(renewals))) {
			List<LeasePart> parts = LeasePart.of(renewals, Renewal::grant, (renewal) -> renewal.ttl().toMillis());
			return statuses(table().statement("renew-all"), arrays(parts, "ttls"), parts, renewals.size());
		}
		List<LeaseStatus> stand = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			stand.add(renew(renewal));
		}
		return stand;
	}

	private static boolean hasSeveralKeys(List<Renewal> renewals) {
		return !renewals.isEmpty() && renewals.get(0).grant().target().keys().size() > 1;
	}

	private LeaseStatus renew(Renewal renewal) throws SQLException {
		Map<String, @Nullable Object> values = values(renewal.grant(), "ttl", renewal.ttl().toMillis());
		SqlStatement renew = table().statement("renew");
		return has(Dialect.Trait.UPDATES_RETURN) ? status(renew, values)
				: LeaseStatus.of(this.connection.update(renew, values) || stands(values));
	}

	// A renewal that does not extend the lease changes no value and may not be counted.
	private boolean stands(Map<String, @Nullable Object> values) throws SQLException {
		return has(Dialect.Trait.COUNTS_CHANGES)
				&& this.connection.queryFirst(table().statement("standing"), values, (row) -> true) != null;
	}

	/**
	 * Make sure that an attempt holds no lease.
	 * @param orphan the attempt
	 * @return whether it held one
	 * @throws SQLException if a database access error occurs
	 */
	boolean abandon(Orphan orphan) throws SQLException {
		if (orphan.target().isGroup()) {
			return GroupSql.on(this.connection).abandon(orphan);
		}
		boolean held = false;
		for (String key : orphan.target().keys()) {
			Map<String, @Nullable Object> values = Map.of("key", table().key(key), "owner", orphan.ownerId().value(),
					"ends", LeaseRelease.OVER.toMillis());
			held |= table().notices().send(table().statement("abandon"), (sql) -> this.connection.update(sql, values));
		}
		return held;
	}

	private LockTable table() {
		return this.connection.table();
	}

	private boolean has(Dialect.Trait trait) {
		return table().dialect().has(trait);
	}

	private Map<String, @Nullable Object> values(LeaseGrant grant, String name, long value) {
		return Map.of("key", table().key(grant.target().key()), "owner", grant.ownerId().value(), "token",
				grant.token().last(), name, value);
	}

	private LeaseStatus status(SqlStatement sql, Map<String, @Nullable Object> values) throws SQLException {
		LeaseStatus status = this.connection.queryFirst(sql, values, LeaseStatus::of);
		return (status != null) ? status : LeaseStatus.GONE;
	}

	private Map<String, @Nullable Object> arrays(List<LeasePart> parts, String times) throws SQLException {
		return Map.of("keys", array("text", parts, (part) -> table().key(part.key())), "owners",
				array("text", parts, LeasePart::owner), "tokens", array("int8", parts, LeasePart::token), times,
				array("int8", parts, LeasePart::millis));
	}

	private Object array(String type, List<LeasePart> parts, Function<LeasePart, Object> element) throws SQLException {
		return this.connection.connection().createArrayOf(type, parts.stream().map(element).toArray());
	}

	/**
	 * Execute a statement that returns the parts that stand.
	 * @return the status of each lease, which stands if all its parts do
	 */
	private List<LeaseStatus> statuses(SqlStatement sql, Map<String, @Nullable Object> values, List<LeasePart> parts,
			int leases) throws SQLException {
		LeaseStatus[] standing = new LeaseStatus[parts.size()];
		Arrays.fill(standing, LeaseStatus.GONE);
		this.connection.query(sql, values, (row) -> standing[row.getInt("place") - 1] = LeaseStatus.of(row));
		LeaseStatus[] statuses = new LeaseStatus[leases];
		Arrays.fill(statuses, LeaseStatus.of(true));
		for (int i = 0; i < standing.length; i++) {
			int lease = parts.get(i).lease();
			statuses[lease] = statuses[lease].and(standing[i]);
		}
		return Arrays.asList(statuses);
	}

}
