package io.distributedlock.backend.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.engine.SystemLockClock;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that vanishes in the middle of a transaction, without a word to the server, in
 * a database whose sessions limit their own idle time.
 */
public abstract class JdbcVanishedClientContract {

	private static final String KEY = "order:42";

	private final JdbcTestDatabase database = database();

	private final SystemLockClock clock = new SystemLockClock();

	private JdbcTestClient client;

	private LockConnection connection;

	private Map<String, @Nullable Object> values;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() throws SQLException {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.database.dataSource(), this.database.settings());
		LockTable table = new LockTable(this.database.dialect(), this.database.settings(), new ReleaseNotices(), false);
		this.connection = LockConnection.prepare(this.database.dataSource().getConnection(), (any) -> table,
				(broken) -> {
				}, this.clock::nanoTime);
		this.values = new HashMap<>(Map.of("key", table.key(KEY), "kind", "shared", "past", -1000L));
	}

	@AfterEach
	void stop() {
		this.connection.close();
		this.client.close();
		this.clock.close();
	}

	@Test
	void serverSoonEndsTheTransactionOfAClientThatHasVanished() throws Exception {
		LeaseGrant grant = this.client.enter(KEY, 0, Duration.ofMinutes(5));
		OpenTransaction transaction = new OpenTransaction(this.connection);
		transaction.begin();
		transaction.update("lock-gate", this.values);

		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> this.client.renew(grant, JdbcTestClient.TTL) instanceof RenewalOutcome.Renewed);
		assertThat(this.client.release(grant)).isTrue();
		this.connection.breakOff();
	}

	@Test
	void transactionLeavesTheSessionAsItWas() throws Exception {
		this.client.enter(KEY, 0);
		long before = idleTime();

		this.connection.transaction((transaction) -> {
			assertThat(idleTime()).isEqualTo(5);
			return transaction.update("lock-gate", this.values);
		});

		assertThat(idleTime()).isEqualTo(before).isGreaterThan(5);
		assertThat(this.connection.connection().getAutoCommit()).isTrue();
	}

	private long idleTime() throws SQLException {
		try (Statement statement = this.connection.connection().createStatement();
				ResultSet rows = statement.executeQuery("SELECT @@wait_timeout")) {
			rows.next();
			return rows.getLong(1);
		}
	}

}
