package io.distributedlock.backend.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link OpenTransaction}.
 */
class OpenTransactionTests {

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = H2Database.create();

	private final AtomicLong time = new AtomicLong();

	private JdbcTestClient client;

	private LockConnection connection;

	private Map<String, @Nullable Object> values;

	@BeforeEach
	void start() throws SQLException {
		this.database.createTables(this.database.settings());
		this.client = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		LockTable table = new LockTable(Dialect.H2, this.database.settings(), new ReleaseNotices(), false);
		this.connection = LockConnection.prepare(this.database.dataSource().getConnection(), (any) -> table,
				(broken) -> {
				}, this.time::get);
		this.values = new HashMap<>(Map.of("key", table.key(KEY), "kind", "shared", "past", -1000L));
	}

	@AfterEach
	void stop() {
		this.connection.close();
		this.client.close();
	}

	@Test
	void clientThatWasPausedRollsBackAndTriesAgain() throws Exception {
		LeaseGrant grant = this.client.enter(KEY, 0);
		AtomicInteger tries = new AtomicInteger();

		boolean settled = this.connection.run(this.client.deadline(), (each) -> each.transaction((transaction) -> {
			transaction.update("lock-gate", this.values);
			if (tries.incrementAndGet() < 3) {
				this.time.addAndGet(Duration.ofSeconds(1).toNanos());
			}
			return transaction.update("settle-gate", this.values);
		}));

		assertThat(settled).isTrue();
		assertThat(tries).hasValue(3);
		assertThat(this.database.hasRow(KEY, "token = " + (grant.token().last() + 1))).isTrue();
		assertThat(this.connection.connection().getAutoCommit()).isTrue();
	}

	@Test
	void timeThatTheDatabaseTakesIsNoPause() throws Exception {
		this.client.enter(KEY, 0);

		this.connection.transaction((transaction) -> {
			transaction.update("lock-gate", this.values);
			return transaction.queryFirst("writer", this.values, (row) -> {
				this.time.addAndGet(Duration.ofSeconds(1).toNanos());
				return true;
			});
		});
		this.connection.transaction((transaction) -> transaction.update("lock-gate", this.values));
	}

	@Test
	void faultUndoesWhatWasDoneAndLetsOthersGoOn() {
		LeaseGrant grant = this.client.enter(KEY, 0);

		assertThatExceptionOfType(SQLTransactionRollbackException.class)
			.isThrownBy(() -> this.connection.transaction((transaction) -> {
				transaction.update("lock-gate", this.values);
				transaction.update("clear-members", this.values);
				throw new SQLTransactionRollbackException("fault");
			}));

		assertThat(this.database.members(KEY)).isEqualTo(1);
		assertThat(this.client.renew(grant, JdbcTestClient.TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void runtimeExceptionUndoesWhatWasDoneToo() {
		this.client.enter(KEY, 0);

		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.connection.transaction((transaction) -> {
				transaction.update("clear-members", this.values);
				throw new IllegalStateException();
			}));

		assertThat(this.database.members(KEY)).isEqualTo(1);
	}

}
