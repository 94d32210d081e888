package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * Takes a lock by one statement, whether its row is there or not.
 */
final class UpsertAcquire implements AcquireStrategy {

	private final SqlStatement acquire;

	UpsertAcquire(SqlSource source) {
		this.acquire = source.statement("acquire");
	}

	@Override
	public @Nullable LockRow acquire(LockConnection connection, LeaseRequest request,
			Map<String, @Nullable Object> values) throws SQLException {
		try (PreparedStatement statement = connection.prepare(this.acquire, values)) {
			// Not executeQuery(): drivers refuse that for an INSERT that returns rows.
			statement.execute();
			try (ResultSet rows = statement.getResultSet()) {
				return rows.next() ? LockRow.grant(rows) : null;
			}
		}
	}

}
