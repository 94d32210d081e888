package io.distributedlock.backend.jdbc;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.Lease;
import io.distributedlock.LockRefusedException;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.HandOverSettings;
import io.distributedlock.spi.AttemptOutcome;
import io.distributedlock.spi.LeaseGrant;
import io.distributedlock.spi.LeaseRequest;
import io.distributedlock.spi.LockTarget;
import io.distributedlock.spi.Renewal;
import io.distributedlock.spi.RenewalOutcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Faults around a table, on any database.
 */
public abstract class JdbcFaultContract {

	private static final Duration TTL = JdbcTestClient.TTL;

	private final JdbcTestDatabase database = database();

	private final ObservedDataSource observed = new ObservedDataSource(this.database.dataSource());

	private JdbcTestClient client;

	protected abstract JdbcTestDatabase database();

	@BeforeEach
	void start() {
		this.database.createTables(this.database.settings());
		this.database.clear();
		this.client = new JdbcTestClient(this.observed, this.database.settings());
	}

	@AfterEach
	void stop() {
		this.client.close();
	}

	static Stream<Exception> rollbacks() {
		return Stream.of(new SQLException("serialization", "40001"), new SQLException("deadlock", "40P01"),
				new SQLException("lock wait", "HY000", 1205), new SQLException("deadlock", "40001", 1213),
				new SQLException("can't serialize", "72000", 8177), new SQLException("deadlock", "61000", 60),
				new SQLException("concurrent update", "90131", 90131), new SQLTransactionRollbackException("any"),
				new CannotAcquireLockException("wrapped", new SQLException("serialization", "40001")),
				wrapped(new SQLException("serialization", "40001")));
	}

	private static SQLException wrapped(SQLException cause) {
		SQLException next = new BatchUpdateException(new int[0]);
		next.setNextException(cause);
		return new SQLException("at commit", next);
	}

	@ParameterizedTest
	@MethodSource("rollbacks")
	void attemptThatIsRolledBackTwiceIsGranted(Exception fault) {
		this.observed.failNext("distributed_lock", fault);
		this.observed.failNext("distributed_lock", fault);

		LeaseGrant grant = this.client.acquire("order:42");

		assertThat(this.observed.isExhausted()).isTrue();
		assertThat(this.client.renew(grant, Duration.ZERO)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@ParameterizedTest
	@MethodSource("rollbacks")
	void releaseThatIsRolledBackTwiceIsNotLost(Exception fault) {
		LeaseGrant grant = this.client.acquire("order:42");
		this.observed.failNext("distributed_lock", fault);
		this.observed.failNext("distributed_lock", fault);

		assertThat(this.client.release(grant)).isTrue();

		assertThat(this.observed.isExhausted()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("rollbacks")
	void renewalThatIsRolledBackTwiceIsNotLost(Exception fault) {
		LeaseGrant grant = this.client.acquire("order:42");
		this.observed.failNext("distributed_lock", fault);
		this.observed.failNext("distributed_lock", fault);

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);

		assertThat(this.observed.isExhausted()).isTrue();
	}

	@Test
	void rollbacksWithoutEndAreAFaultAndNotBusy() {
		for (int i = 0; i < 200; i++) {
			this.observed.failNext("distributed_lock", new SQLException("serialization", "40001"));
		}

		assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Unavailable.class);
	}

	@Test
	void attemptWhoseAnswerIsLostMayHaveBeenSentAndIsUndoneByItsOwner() {
		this.client.release(this.client.acquire("order:42"));
		this.observed.loseAnswer("distributed_lock", new SQLException("connection reset", "08006"));
		LeaseRequest request = this.client.request();

		AttemptOutcome outcome = this.client.attempt("order:42", request);

		assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isTrue());
		assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);
		this.client.abandon(LockTarget.exclusive("order:42"), request.ownerId());
		this.client.acquire("order:42");
	}

	@Test
	void releaseWhoseAnswerIsLostIsUnknownAndNotLost() {
		LeaseGrant grant = this.client.acquire("order:42");
		this.observed.loseAnswer("distributed_lock", new SQLException("connection reset", "08006"));

		assertThatThrownBy(() -> this.client.release(grant)).hasRootCauseMessage("connection reset");

		this.client.acquire("order:42");
	}

	@Test
	void renewalWhoseAnswerIsLostIsRepeatedAtOnce() {
		LeaseGrant grant = this.client.acquire("order:42");
		this.observed.loseAnswer("distributed_lock", new SQLException("connection reset", "08006"));

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);

		assertThat(this.observed.isExhausted()).isTrue();
	}

	@Test
	void renewalWhoseAnswersAreLostIsUnknownAndTheNextOneWorks() {
		LeaseGrant grant = this.client.acquire("order:42");
		this.observed.loseAnswer("distributed_lock", new SQLException("connection reset", "08006"));
		this.observed.loseAnswer("distributed_lock", new SQLException("connection reset", "08006"));

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Unknown.class);

		assertThat(this.client.renew(grant, TTL)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void renewalsThatFailTogetherAreRepeatedOneByOne() {
		LeaseGrant first = this.client.acquire("a");
		LeaseGrant second = this.client.acquire("b");
		this.observed.failNext("distributed_lock", new SQLException("syntax", "42000"));

		List<RenewalOutcome> outcomes = JdbcTestClient
			.await(this.client.connection().renew(List.of(new Renewal(second, TTL), new Renewal(first, TTL))));

		assertThat(outcomes).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		assertThat(this.observed.isExhausted()).isTrue();
	}

	@Test
	void missingTableIsReportedWithWhatCreatesIt() {
		JdbcLockSettings elsewhere = this.database.settings("no_such_table");
		try (JdbcTestClient other = new JdbcTestClient(this.database.dataSource(), elsewhere)) {
			AttemptOutcome outcome = other.attempt("order:42");

			assertThat(outcome).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
					(unavailable) -> assertThat(unavailable.cause()).isInstanceOf(LockRefusedException.class)
						.hasMessageContaining("lock.jdbc.initialize-schema=always")
						.hasMessageContaining("CREATE TABLE")
						.hasMessageContaining("no_such_table"));
		}
	}

	@Test
	void tablesMayHaveOtherNamesAndBeCreatedTwice() {
		JdbcLockSettings elsewhere = this.database.settings("my_locks");
		this.database.createTables(elsewhere);
		this.database.createTables(elsewhere);
		try (JdbcTestClient other = new JdbcTestClient(this.database.dataSource(), elsewhere)) {
			LeaseGrant grant = other.acquire("order:42");

			assertThat(other.release(grant)).isTrue();
		}
	}

	@Test
	void tablesCanBeCreatedBySeveralAtOnce() {
		JdbcLockSettings elsewhere = this.database.settings("created_at_once");
		List<Thread> threads = Stream.generate(() -> new Thread(() -> this.database.createTables(elsewhere)))
			.limit(8)
			.toList();
		List<Throwable> faults = new CopyOnWriteArrayList<>();
		threads.forEach((thread) -> thread.setUncaughtExceptionHandler((failed, fault) -> faults.add(fault)));

		threads.forEach(Thread::start);
		threads.forEach(JdbcFaultContract::join);

		assertThat(faults).isEmpty();
	}

	private static void join(Thread thread) {
		try {
			thread.join(20_000);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void lockIsSeenByOthersWhileTheTransactionOfItsHolderIsOpenAndSurvivesItsRollback() {
		DataSource proxy = new TransactionAwareDataSourceProxy(this.database.dataSource());
		TransactionTemplate transaction = new TransactionTemplate(
				new DataSourceTransactionManager(this.database.dataSource()));
		try (JdbcTestClient holder = new JdbcTestClient(proxy, this.database.settings())) {
			LeaseGrant grant = transaction.execute((status) -> {
				LeaseGrant inside = holder.acquire("order:42");
				assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);
				status.setRollbackOnly();
				return inside;
			});

			assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);
			assertThat(holder.release(grant)).isTrue();
		}
	}

	@ParameterizedTest
	@CsvSource({ "false, READ_COMMITTED", "true, READ_COMMITTED", "false, SERIALIZABLE", "true, SERIALIZABLE" })
	void transactionOfTheCallerDoesNotMatterWhateverItIsLike(boolean readOnly, Isolation isolation) {
		TransactionTemplate transaction = new TransactionTemplate(
				new DataSourceTransactionManager(this.database.dataSource()));
		transaction.setReadOnly(readOnly);
		transaction.setIsolationLevel(isolation.value());
		DataSource proxy = new TransactionAwareDataSourceProxy(this.database.dataSource());

		try (JdbcTestClient holder = new JdbcTestClient(proxy, this.database.settings())) {
			LeaseGrant grant = transaction.execute((status) -> {
				LeaseGrant inside = holder.acquire("order:42");
				assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);
				assertThat(holder.release(inside)).isTrue();
				return this.client.acquire("order:42");
			});

			assertThat(this.client.release(grant)).isTrue();
		}
	}

	@Test
	void locksOfAReadOnlyTransactionAreNotLedToTheReplicaThatItReadsFrom() {
		ObservedDataSource replica = new ObservedDataSource(this.database.dataSource());
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return TransactionSynchronizationManager.isCurrentTransactionReadOnly();
			}

		};
		routing.setTargetDataSources(Map.of(true, replica, false, this.database.dataSource()));
		routing.afterPropertiesSet();
		TransactionTemplate transaction = new TransactionTemplate(
				new DataSourceTransactionManager(new LazyConnectionDataSourceProxy(routing)));
		transaction.setReadOnly(true);
		replica.setCutOff(true);

		try (JdbcTestNode node = new JdbcTestNode(routing, this.database.settings(), TTL, HandOverSettings.DEFAULTS)) {
			transaction.executeWithoutResult((status) -> {
				try (Lease lease = node.template().acquire("order:42")) {
					lease.verify();
					assertThat(this.client.attempt("order:42")).isInstanceOf(AttemptOutcome.Busy.class);
				}
			});
		}
	}

	@Test
	void connectionsThatComeWithoutAutocommitAreGivenBackThatWay() throws SQLException {
		try (Connection only = this.database.dataSource().getConnection()) {
			only.setAutoCommit(false);
			DataSource pool = new SingleConnectionDataSource(only, true);
			LockConnection borrowed = new JdbcLockDatabase(pool, this.database.settings(), TableCreation.NONE,
					new VirtualLockClock())
				.borrow();

			assertThat(only.getAutoCommit()).isTrue();
			borrowed.close();

			assertThat(only.getAutoCommit()).isFalse();
			only.setAutoCommit(true);
		}
	}

	@Test
	void backendThatWasStoppedRefusesAndWorksAgainAfterAStart() {
		LeaseGrant grant = this.client.acquire("order:42");

		this.client.stop();

		assertThat(this.client.attempt("other")).isInstanceOfSatisfying(AttemptOutcome.Unavailable.class,
				(unavailable) -> assertThat(unavailable.sent()).isFalse());
		assertThatThrownBy(() -> this.client.release(grant)).hasMessageContaining("stopped");
		this.client.start();
		assertThat(this.client.release(grant)).isTrue();
	}

}
