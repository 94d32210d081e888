package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
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
 * Sends each transaction in one request, so that the locks on rows never wait for this
 * client.
 */
final class BlockGroupSql extends LockedGroupSql {

	BlockGroupSql(LockConnection connection) {
		super(connection);
	}

	@Override
	@Nullable Long enter(LockTarget target, LeaseRequest request) throws SQLException {
		Optional<Long> token = run("enter", values(target, request), (row) -> {
			long entered = row.getLong("token");
			return row.wasNull() ? Optional.empty() : Optional.of(entered);
		});
		return (token != null) ? token.orElse(null) : null;
	}

	@Override
	List<LeaseStatus> renew(List<Renewal> renewals) throws SQLException {
		List<LeaseStatus> stand = new ArrayList<>(renewals.size());
		for (Renewal renewal : renewals) {
			stand.add(change("renew-member", values(renewal)));
		}
		return stand;
	}

	@Override
	LeaseStatus change(String step, Map<String, @Nullable Object> values) throws SQLException {
		LeaseStatus status = run("block-" + step, values, LeaseStatus::of);
		return (status != null) ? status : LeaseStatus.GONE;
	}

	/**
	 * Run a block that returns one row at most. A driver knows only after the execution
	 * that there are rows.
	 */
	private <T> @Nullable T run(String name, Map<String, @Nullable Object> values, SqlFunction<ResultSet, T> mapper)
			throws SQLException {
		try (PreparedStatement statement = connection().prepare(statement(name), values)) {
			statement.execute();
			try (ResultSet rows = statement.getResultSet()) {
				return rows.next() ? mapper.apply(rows) : null;
			}
		}
	}

}
