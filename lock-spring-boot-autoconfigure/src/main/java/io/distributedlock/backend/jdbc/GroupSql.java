package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Orphan;
import io.distributedlock.spi.Renewal;

/**
 * Changes the members of groups. The row of the key stands for the whole group: it
 * expires no earlier than any member, so the statements that take an exclusive lock need
 * not know about groups. Whatever depends on the members is decided under the lock of
 * that row, by what the members are then.
 */
abstract class GroupSql {

	/**
	 * The first character of the owner of a place that a cooldown keeps. Owner ids
	 * consist of hexadecimal digits.
	 */
	private static final String PLACE = "-";

	private final LockConnection connection;

	GroupSql(LockConnection connection) {
		this.connection = connection;
	}

	/**
	 * Return the statements for the database of a connection. Checks the table of members
	 * before its first use.
	 * @param connection the connection
	 * @return the statements
	 * @throws SQLException if a database access error occurs
	 */
	static GroupSql on(LockConnection connection) throws SQLException {
		connection.checkMembers();
		Dialect dialect = connection.table().dialect();
		if (dialect.has(Dialect.Trait.ARRAYS)) {
			return new ComparedGroupSql(connection);
		}
		return dialect.has(Dialect.Trait.BLOCKS) ? new BlockGroupSql(connection) : new LockedGroupSql(connection);
	}

	/**
	 * Enter the group on a key, or begin it if the key is free.
	 * @param target the key and the kind
	 * @param request the request
	 * @return the last token of the range, or {@code null} if the group can't be entered,
	 * or if that is not known because the members have just changed
	 * @throws SQLException if a database access error occurs
	 */
	abstract @Nullable Long enter(LockTarget target, LeaseRequest request) throws SQLException;

	/**
	 * Create the row of a key that has none.
	 * @param key the key
	 * @throws SQLException if a database access error occurs
	 */
	abstract void createRow(String key) throws SQLException;

	/**
	 * End the lease of a member.
	 * @param grant the lease
	 * @param cooldown for how long the member's place stays taken; zero for none
	 * @return whether the lease stood, and whether a waiter has closed the group
	 * @throws SQLException if a database access error occurs
	 */
	final LeaseStatus leave(LeaseGrant grant, Duration cooldown) throws SQLException {
		Map<String, @Nullable Object> values = values(grant.target(), grant.ownerId().value());
		values.put("least", grant.token().last());
		values.put("most", grant.token().last());
		return leave(values, cooldown);
	}

	/**
	 * Make sure that an attempt has no lease.
	 * @param orphan the attempt
	 * @return whether it had one
	 * @throws SQLException if a database access error occurs
	 */
	final boolean abandon(Orphan orphan) throws SQLException {
		return leave(values(orphan.target(), orphan.ownerId().value()), Duration.ZERO).stands();
	}

	private LeaseStatus leave(Map<String, @Nullable Object> values, Duration cooldown) throws SQLException {
		values.put("ends", LeaseRelease.ends(cooldown));
		values.put("place", PLACE + String.valueOf(values.get("owner")).substring(PLACE.length()));
		return leave(values, !cooldown.isZero());
	}

	/**
	 * End the lease of a member.
	 * @param values the values of the statements
	 * @param cools whether a cooldown keeps its place
	 * @return whether the lease stood, and whether a waiter has closed the group
	 * @throws SQLException if a database access error occurs
	 */
	abstract LeaseStatus leave(Map<String, @Nullable Object> values, boolean cools) throws SQLException;

	/**
	 * Renew the leases of members.
	 * @param renewals the renewals, in the order of their keys
	 * @return whether each stands, and whether a waiter has closed the group
	 * @throws SQLException if a database access error occurs
	 */
	abstract List<LeaseStatus> renew(List<Renewal> renewals) throws SQLException;

	/**
	 * Take a key away from all members of its group, in the same step that begins a
	 * cooldown.
	 * @param key the key
	 * @param kind the kind of the group
	 * @param ends when the key becomes free, in ms from now
	 * @return whether the key had a member; {@code false} also if that can't be told
	 * because the members have just changed
	 * @throws SQLException if a database access error occurs
	 */
	abstract boolean force(String key, GroupKind kind, long ends) throws SQLException;

	final Map<String, @Nullable Object> values(LockTarget target, String owner) {
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("key", table().key(target.key()));
		values.put("kind", GroupKind.of(target).stored());
		values.put("owner", owner);
		values.put("least", Long.MIN_VALUE);
		values.put("most", Long.MAX_VALUE);
		values.put("past", LeaseRelease.OVER.toMillis());
		return values;
	}

	final Map<String, @Nullable Object> values(LockTarget target, LeaseRequest request) {
		Map<String, @Nullable Object> values = values(target, request.ownerId().value());
		values.put("instance", table().settings().instanceId());
		values.put("ttl", request.ttl().toMillis());
		values.put("span", (long) request.span());
		values.put("permits", (long) request.permits());
		return values;
	}

	final Map<String, @Nullable Object> values(Renewal renewal) {
		LeaseGrant grant = renewal.grant();
		Map<String, @Nullable Object> values = values(grant.target(), grant.ownerId().value());
		values.put("ttl", renewal.ttl().toMillis());
		return values;
	}

	final LockConnection connection() {
		return this.connection;
	}

	final LockTable table() {
		return this.connection.table();
	}

	final SqlStatement statement(String name) {
		return table().statement(name);
	}

}
