package io.distributedlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the connections that are kept for callers.
 */
@Timeout(60)
class CallerConnectionsTests {

	private static final Duration CALL = Duration.ofSeconds(2);

	private static final JdbcLockSettings SETTINGS = new JdbcTestDatabase("h2", new HikariDataSource()).settings();

	private final VirtualLockClock clock = new VirtualLockClock();

	private HikariDataSource pool = new HikariDataSource();

	private PoolDemand demand = new PoolDemand(this.pool, this.clock);

	private CallerConnections callers = new CallerConnections(Runnable::run, this.clock, this.demand);

	private void start(int poolSize) throws SQLException {
		this.pool = H2Database.pool(H2Database.url(), poolSize);
		this.demand = new PoolDemand(this.pool, this.clock);
		this.callers = new CallerConnections(Runnable::run, this.clock, this.demand);
		this.demand.borrow().close();
	}

	@AfterEach
	void stop() {
		this.pool.close();
	}

	@Test
	void callerDoesNotWaitIfThePoolIsTooSmallToKeepConnections() throws Exception {
		start(5);

		// Never returns if it waits, because the clock stands still.
		assertThat(this.callers.take(CALL, CALL, CallerConnections.WAIT)).isNull();
	}

	@Test
	void connectionIsKeptForTheNextCaller() throws Exception {
		start(6);
		LockConnection connection = keep();

		assertThat(take()).isSameAs(connection);
		this.callers.giveBack(connection, true);
		assertThat(take()).isSameAs(connection);
	}

	@Test
	void connectionThatIsIdleOrBorrowedForTooLongGoesBack() throws Exception {
		start(6);
		keep();

		this.clock.advance(Duration.ofMillis(100));

		assertThat(take()).isNull();
		LockConnection busy = keep();
		for (int i = 0; i < 20; i++) {
			this.clock.advance(Duration.ofMillis(51));
			LockConnection taken = take();
			if (taken != null) {
				assertThat(taken).isSameAs(busy);
				this.callers.giveBack(taken, true);
			}
		}
		assertThat(take()).isNull();
	}

	@Test
	void connectionGoesBackIfAWorkerOfTheStoreWaitsInVain() throws Exception {
		start(6);
		LockConnection connection = keep();
		List<Connection> all = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			all.add(this.pool.getConnection());
		}
		CompletableFuture<Void> worker = CompletableFuture.runAsync(() -> {
			try (Connection borrowed = this.demand.borrow()) {
				assertThat(borrowed).isNotNull();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		});
		Awaitility.await().until(() -> this.pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
		assertThat(take()).isSameAs(connection);
		this.callers.giveBack(connection, true);
		assertThat(take()).isSameAs(connection);

		this.clock.advance(Duration.ofMillis(100));
		this.callers.giveBack(connection, true);

		assertThat(take()).isNull();
		for (Connection each : all) {
			each.close();
		}
		worker.get(1, TimeUnit.MINUTES);
	}

	private LockConnection keep() throws SQLException {
		LockConnection connection = new ScriptedConnection().as(Dialect.POSTGRESQL, SETTINGS, this.clock.nanoTime());
		this.callers.keepOrClose(connection,
				new LeaseRequest(OwnerId.random(), CALL, 1, null, true, CALL, Duration.ofSeconds(10)));
		return connection;
	}

	private LockConnection take() {
		return this.callers.take(CALL, CALL, Duration.ZERO);
	}

}
