package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a pool that the application exhausts.
 */
class PoolExhaustionTests {

	private final String url = H2Database.url();

	private final HikariDataSource pool = H2Database.pool(this.url, 3);

	private final JdbcTestDatabase database = new JdbcTestDatabase("h2", this.pool);

	private JdbcTestClient client;

	private void start(JdbcLockSettings settings) {
		this.database.createTables(settings);
		this.client = new JdbcTestClient(this.pool, settings);
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getActiveConnections() == 2);
	}

	@AfterEach
	void stop() {
		this.client.close();
		this.pool.close();
	}

	@Test
	void attemptIsUnavailableInTimeAndWasNotSent() throws Exception {
		start(this.database.settings(JdbcLockSettings.DEFAULT_TABLE, Duration.ofMillis(300)));
		try (Connection last = this.pool.getConnection()) {
			assertThat(this.client.attempt("order:42")).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> {
						assertThat(unavailable.sent()).isFalse();
						assertThat(unavailable.cause()).hasMessageContaining("no connection within 300 ms");
					});
		}

		// The worker that still waited for a connection returns it unused.
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Granted.class));
	}

	@Test
	void leasesAreRenewedAndReleasedOnTheConnectionsThatAreKept() throws Exception {
		start(this.database.settings());
		LeaseGrant grant = this.client.acquire("order:42");

		try (Connection last = this.pool.getConnection()) {
			assertThat(this.client.renew(grant, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(this.client.release(grant)).isTrue();
		}
	}

	@Test
	void connectionsAreGivenBackWhenItStops() {
		start(this.database.settings());

		this.client.stop();

		assertThat(this.pool.getHikariPoolMXBean().getActiveConnections()).isZero();
	}

}
