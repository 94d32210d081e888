package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;

/**
 * The statements that renew and end leases. Each compares owner and token in the same
 * step.
 */
final class LeaseSql {

	private static final Logger logger = LoggerFactory.getLogger(LeaseSql.class);

	private final SqlSource source;

	private final ReleaseNotices.Sql release;

	private final SqlStatement renew;

	private final SqlStatement standing;

	private final SqlStatement wanted;

	private final ReleaseNotices.Sql abandon;

	private final @Nullable LeaseArraySql arrays;

	LeaseSql(SqlSource source) {
		this.source = source;
		this.release = source.notifying("release");
		this.renew = source.statement("renew");
		this.standing = source.statement("standing");
		this.wanted = source.statement("wanted");
		this.abandon = source.notifying("abandon");
		this.arrays = source.dialect().has(Dialect.Trait.ARRAYS) ? new LeaseArraySql(source) : null;
	}

	/**
	 * Return whether several leases are one statement, which happens for all of them or
	 * for none.
	 * @return whether there are such statements
	 */
	boolean areTakenTogether() {
		return this.arrays != null;
	}

	LeaseStatus release(LockConnection connection, LeaseRelease release) throws SQLException {
		Map<String, @Nullable Object> values = lease(release.grant());
		values.put("ends", release.ends());
		if (this.source.dialect().has(Dialect.Trait.UPDATES_RETURN)) {
			return this.source.notices().send(this.release, (sql) -> status(connection, sql, values));
		}
		boolean stood = connection.update(this.release.withNotice(), values);
		// Whether others wait matters only where this JVM waits too, and asked for tokens
		// to pass on.
		return (stood && release.grant().token().count() > 1) ? statusWithWaiter(connection, values)
				: LeaseStatus.of(stood);
	}

	private LeaseStatus statusWithWaiter(LockConnection connection, Map<String, @Nullable Object> values) {
		try {
			LeaseStatus status = status(connection, this.wanted, values);
			return status.stands() ? status : LeaseStatus.of(true);
		}
		catch (SQLException ex) {
			// The lease is released, whatever becomes of the question.
			logger.debug("Whether a client waits for a lock could not be seen", ex);
			return LeaseStatus.of(true);
		}
	}

	private static LeaseStatus status(LockConnection connection, SqlStatement sql, Map<String, @Nullable Object> values)
			throws SQLException {
		LeaseStatus status = connection.queryFirst(sql, values, LeaseStatus::of);
		return (status != null) ? status : LeaseStatus.GONE;
	}

	/**
	 * Release several leases.
	 * @param connection the connection
	 * @param releases the releases, in the order of their keys
	 * @return whether each stood
	 * @throws SQLException if the database complains
	 */
	List<LeaseStatus> release(LockConnection connection, List<LeaseRelease> releases) throws SQLException {
		if (this.arrays != null && releases.size() > 1) {
			return this.arrays.release(connection, releases);
		}
		List<LeaseStatus> stood = new ArrayList<>(releases.size());
		for (LeaseRelease release : releases) {
			stood.add(release(connection, release));
		}
		return stood;
	}

	private LeaseStatus renew(LockConnection connection, Renewal renewal) throws SQLException {
		Map<String, @Nullable Object> values = lease(renewal.grant());
		values.put("ttl", renewal.ttl().toMillis());
		return this.source.dialect().has(Dialect.Trait.UPDATES_RETURN) ? status(connection, this.renew, values)
				: LeaseStatus.of(connection.update(this.renew, values) || stands(connection, values));
	}

	// A renewal that asks for no more than there is changes nothing.
	private boolean stands(LockConnection connection, Map<String, @Nullable Object> values) throws SQLException {
		return this.source.dialect().has(Dialect.Trait.COUNTS_CHANGES)
				&& connection.queryFirst(this.standing, values, (row) -> true) != null;
	}

	/**
	 * Renew several leases.
	 * @param connection the connection
	 * @param renewals the renewals, in the order of their keys
	 * @return whether each stands
	 * @throws SQLException if the database complains
	 */
	List<LeaseStatus> renew(LockConnection connection, List<Renewal> renewals) throws SQLException {
		if (this.arrays != null && renewals.size() > 1) {
			return this.arrays.renew(connection, renewals);
		}
		List<LeaseStatus> stand = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			stand.add(renew(connection, renewal));
		}
		return stand;
	}

	/**
	 * Make sure that an attempt holds nothing.
	 * @param connection the connection
	 * @param orphan the attempt
	 * @return whether it held anything
	 * @throws SQLException if the database complains
	 */
	boolean abandon(LockConnection connection, Orphan orphan) throws SQLException {
		Map<String, @Nullable Object> values = Map.of("key", this.source.key(orphan.target().key()), "owner",
				orphan.ownerId().value(), "ends", LeaseRelease.OVER.toMillis());
		return this.source.notices().send(this.abandon, (sql) -> connection.update(sql, values));
	}

	private Map<String, @Nullable Object> lease(LeaseGrant grant) {
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("key", this.source.key(grant.target().key()));
		values.put("owner", grant.ownerId().value());
		values.put("token", grant.token().last());
		return values;
	}

}
