package io.distributedlock.it.postgres;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.datasource.AbstractDataSource;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.backend.jdbc.JdbcTestDatabase;
import io.distributedlock.backend.jdbc.JdbcTestNode;
import io.distributedlock.engine.HandOverSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A PostgreSQL server that fails, and a follower that is promoted.
 */
class PostgresPromotionIntegrationTests {

	/**
	 * Longer than the whole test takes on any machine.
	 */
	private static final Duration TTL = Duration.ofMinutes(10);

	/**
	 * Longer than each step of the tests takes, and clearly less than the TTL.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@TempDir
	Path folder;

	@Test
	void followerIsUnavailableUntilItIsPromotedAndThenKnowsAllLeasesAndTokens() throws Exception {
		try (PostgresInstance primary = PostgresInstance.start(this.folder.resolve("primary"));
				PostgresInstance follower = primary.startFollower(this.folder.resolve("follower"));
				HikariDataSource looks = primary.pool(1);
				HikariDataSource before = primary.pool(8);
				HikariDataSource after = follower.pool(8)) {
			// At any speed of the machine, no query fails because it gets no connection.
			looks.setConnectionTimeout(PATIENCE.toMillis());
			after.setConnectionTimeout(PATIENCE.toMillis());
			Switch address = new Switch(before);
			JdbcTestDatabase database = new JdbcTestDatabase("postgresql", looks);
			database.createTables(database.settings());
			try (JdbcTestNode node = new JdbcTestNode(address, database.settings(), TTL, HandOverSettings.DEFAULTS);
					JdbcTestNode other = new JdbcTestNode(address, database.settings(), TTL,
							HandOverSettings.DEFAULTS)) {
				Lease held = node.template().acquire("held");
				CompletableFuture<Lease> waiting = other.template()
					.acquireAsync(LockRequest.of("held").waitTime(TTL.dividedBy(2)))
					.toCompletableFuture();
				await().atMost(PATIENCE).until(() -> database.isMarked("held"));

				address.current = after;
				primary.kill();

				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> other.template().tryAcquire("free"))
					.withMessageContaining("read-only");
				assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(held::verify);
				assertThat(held.isHeld()).isTrue();
				follower.promote();

				await().atMost(PATIENCE)
					.ignoreExceptionsInstanceOf(LockUnavailableException.class)
					.untilAsserted(held::verify);
				await().atMost(PATIENCE)
					.ignoreExceptionsInstanceOf(LockUnavailableException.class)
					.untilAsserted(() -> assertThat(other.template().tryAcquire("free")).isPresent());
				assertThat(waiting).isNotDone();
				assertThat(held.release()).isTrue();
				Lease next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
				assertThat(node.lost() + other.lost() + node.busy() + other.busy()).isZero();
			}
		}
	}

	/**
	 * An address that can be switched to another server at any time.
	 */
	private static final class Switch extends AbstractDataSource {

		private volatile DataSource current;

		private Switch(DataSource first) {
			this.current = first;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return this.current.getConnection();
		}

		@Override
		public Connection getConnection(String user, String password) throws SQLException {
			throw new UnsupportedOperationException();
		}

	}

}
