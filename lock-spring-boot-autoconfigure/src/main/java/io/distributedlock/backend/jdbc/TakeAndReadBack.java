package io.distributedlock.backend.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.distributedlock.spi.LeaseRequest;

/**
 * Takes a lock by changing or inserting its row, and then reads whose it is: for
 * databases of which nothing is known.
 */
final class TakeAndReadBack implements Taking {

	private static final int MOST_READS = 5;

	private final SqlStatement take;

	private final SqlStatement insert;

	private final SqlStatement state;

	private final SqlStatement mark;

	TakeAndReadBack(SqlSource source) {
		this.take = source.statement("take");
		this.insert = source.statement("insert");
		this.state = source.statement("state");
		this.mark = source.statement("mark");
	}

	@Override
	public @Nullable LockRow take(LockConnection connection, LeaseRequest request, Map<String, @Nullable Object> values)
			throws SQLException {
		if (update(connection, this.take, values)) {
			return readBack(connection, values);
		}
		LockRow other = TakeInSteps.read(connection, this.state, values);
		if (other == null) {
			return update(connection, this.insert, values) ? readBack(connection, values) : null;
		}
		return TakeInSteps.marked(connection, this.mark, other, request, values) ? other.ofAnother() : null;
	}

	/**
	 * Read the row that was changed. What was granted can't be rolled back any more:
	 * where the row can't be read, the outcome is unknown, and must not be taken for a
	 * fault before which nothing was executed.
	 */
	private @Nullable LockRow readBack(LockConnection connection, Map<String, @Nullable Object> values)
			throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				return TakeInSteps.read(connection, this.state, values);
			}
			catch (SQLException ex) {
				if (!SqlFaults.isTransient(ex) || tries == MOST_READS) {
					throw new SQLException("A lock was taken, but could not be read back: " + ex);
				}
			}
		}
	}

	private static boolean update(LockConnection connection, SqlStatement sql, Map<String, @Nullable Object> values)
			throws SQLException {
		try (PreparedStatement statement = connection.prepare(sql, values)) {
			return statement.executeUpdate() > 0;
		}
	}

}
