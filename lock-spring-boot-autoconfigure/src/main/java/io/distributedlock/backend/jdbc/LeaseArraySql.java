package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.Renewal;

/**
 * The statements that renew or end several leases at once, in databases that take arrays.
 * Each happens for all leases or for none.
 */
final class LeaseArraySql {

	private final SqlSource source;

	private final ReleaseNotices.Sql releaseAll;

	private final SqlStatement renewAll;

	LeaseArraySql(SqlSource source) {
		this.source = source;
		this.releaseAll = source.notifying("release-all");
		this.renewAll = source.statement("renew-all");
	}

	List<LeaseStatus> release(LockConnection connection, List<LeaseRelease> releases) throws SQLException {
		Map<String, @Nullable Object> values = leases(connection.connection(), releases, LeaseRelease::grant);
		values.put("ends", array(connection.connection(), "int8", releases, LeaseRelease::ends));
		return this.source.notices().send(this.releaseAll, (sql) -> changed(connection, sql, values, releases.size()));
	}

	List<LeaseStatus> renew(LockConnection connection, List<Renewal> renewals) throws SQLException {
		Map<String, @Nullable Object> values = leases(connection.connection(), renewals, Renewal::grant);
		values.put("ttls", array(connection.connection(), "int8", renewals, (renewal) -> renewal.ttl().toMillis()));
		return changed(connection, this.renewAll, values, renewals.size());
	}

	private <T> Map<String, @Nullable Object> leases(Connection connection, List<T> leases,
			Function<T, LeaseGrant> grant) throws SQLException {
		List<LeaseGrant> grants = leases.stream().map(grant).toList();
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("keys", array(connection, "text", grants, (each) -> this.source.key(each.target().key())));
		values.put("owners", array(connection, "text", grants, (each) -> each.ownerId().value()));
		values.put("tokens", array(connection, "int8", grants, (each) -> each.token().last()));
		return values;
	}

	private static <T> Object array(Connection connection, String type, List<T> from, Function<T, Object> element)
			throws SQLException {
		return connection.createArrayOf(type, from.stream().map(element).toArray());
	}

	private static List<LeaseStatus> changed(LockConnection connection, SqlStatement sql,
			Map<String, @Nullable Object> values, int size) throws SQLException {
		LeaseStatus[] changed = new LeaseStatus[size];
		Arrays.fill(changed, LeaseStatus.GONE);
		connection.query(sql, values, (row) -> changed[row.getInt("place") - 1] = LeaseStatus.of(row));
		return Arrays.asList(changed);
	}

}
