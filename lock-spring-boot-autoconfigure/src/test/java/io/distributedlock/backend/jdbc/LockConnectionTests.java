package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;

import io.distributedlock.backend.call.CallDeadline;
import io.distributedlock.contract.VirtualLockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for a borrowed connection.
 */
class LockConnectionTests {

	@Test
	void connectionIsEvictedAfterAnErrorInTheMiddleOfAnAnswer() throws Exception {
		try (HikariDataSource pool = H2Database.pool(H2Database.url(), 1)) {
			JdbcLockSettings settings = new JdbcTestDatabase("h2", pool).settings();
			LockTable table = new LockTable(Dialect.H2, settings, new ReleaseNotices(), false);
			List<Connection> evicted = new ArrayList<>();
			Connection borrowed = pool.getConnection();
			LockConnection connection = LockConnection.prepare(borrowed, (any) -> table, evicted::add, () -> 0);
			CallDeadline deadline = CallDeadline.in(Duration.ofSeconds(2), new VirtualLockClock());

			assertThatThrownBy(() -> connection.run(deadline, (current) -> {
				throw new StackOverflowError();
			})).isInstanceOf(StackOverflowError.class);
			connection.close();

			assertThat(evicted).containsExactly(borrowed);
		}
	}

}
