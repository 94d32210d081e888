package io.distributedlock.backend.jdbc;

import java.sql.SQLException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks that are taken by one statement and read back by another.
 */
class ReadBackAcquireTests {

	private static final SQLException ROLLED_BACK = new SQLException("serialization", "40001");

	private final JdbcTestDatabase database = HsqldbDatabase.create("locks");

	private final ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());

	private JdbcTestClient client;

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.client = new JdbcTestClient(this.observed, this.database.settings());
		this.client.release(this.client.acquire("order:42"));
		this.observed.forget();
	}

	@AfterEach
	void stop() {
		this.client.close();
	}

	@Test
	void readingBackIsRepeatedAloneWhereItIsRolledBack() {
		this.observed.failNext("SELECT", ROLLED_BACK);

		this.client.acquire("order:42");

		assertThat(this.observed.statements()).hasSize(3);
		assertThat(this.observed.statements()).filteredOn((sql) -> sql.startsWith("UPDATE")).hasSize(1);
	}

	@Test
	void grantThatCannotBeReadBackIsUnknownAndUndoneByItsOwner() {
		for (int i = 0; i < 5; i++) {
			this.observed.failNext("SELECT", ROLLED_BACK);
		}
		LeaseRequest request = this.client.request();

		assertThat(this.client.attempt("order:42", request)).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isTrue());
		assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);

		this.client.abandon(LockTarget.exclusive("order:42"), request.ownerId());
		this.client.acquire("order:42");
	}

	@Test
	void waiterOfABusyLockLeavesItsMarkByTheThirdStatement() {
		this.client.acquire("order:42");
		this.observed.forget();

		assertThat(this.client.attempt("order:42", this.client.waiting())).isInstanceOf(AttemptOutcome.Busy.class);

		assertThat(this.observed.statements()).hasSize(3);
		assertThat(this.database.isMarked("order:42")).isTrue();
	}

}
