package io.distributedlock.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.distributedlock.DistributedLock;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.OnLost;
import io.distributedlock.backend.local.LocalLockBackend;
import io.distributedlock.backend.local.LocalStore;
import io.distributedlock.contract.ListedLocks;
import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.engine.DefaultScopes;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LockEngine;
import io.distributedlock.spi.BackendConnection;
import io.distributedlock.transaction.TransactionLeaseRetention;
import io.distributedlock.transaction.TransactionLeaseRetention.WhenActive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the order of lock and transaction.
 */
class LockAroundTransactionTests {

	private static ApplicationContextRunner recording() {
		return new ApplicationContextRunner().withUserConfiguration(Database.class).withBean(RecordingScopes.class);
	}

	private static void assertLockLiesOutside(ApplicationContextRunner runner) {
		runner.run((context) -> {
			context.getBean(Stock.class).reserve();

			assertThat(context.getBean(RecordingScopes.class).log).containsExactly("open stock", "body in transaction",
					"committed", "close stock");
		});
	}

	@Test
	void theLockLiesOutsideWhicheverIsEnabledFirst() {
		assertLockLiesOutside(recording().withBean(Stock.class)
			.withUserConfiguration(Transactions.class, DistributedLockAopConfiguration.class));
		assertLockLiesOutside(recording().withBean(Stock.class)
			.withUserConfiguration(DistributedLockAopConfiguration.class, Transactions.class));
	}

	@ParameterizedTest
	@MethodSource("orders")
	void theLockLiesOutsideInWhateverOrderThingsAreEnabled(List<Class<?>> order) {
		assertLockLiesOutside(recording().withBean(Stock.class).withUserConfiguration(order.toArray(Class[]::new)));
	}

	static Stream<List<Class<?>>> orders() {
		return orders(List.of(Transactions.class, Scheduling.class, Asynchronous.class,
				DistributedLockAopConfiguration.class));
	}

	private static Stream<List<Class<?>>> orders(List<Class<?>> configurations) {
		if (configurations.isEmpty()) {
			return Stream.of(List.of());
		}
		return configurations.stream().flatMap((first) -> {
			List<Class<?>> others = new ArrayList<>(configurations);
			others.remove(first);
			return orders(others).map((rest) -> {
				List<Class<?>> order = new ArrayList<>(List.of(first));
				order.addAll(rest);
				return order;
			});
		});
	}

	@Test
	void anOrderOfTheApplicationIsHonoured() {
		recording().withBean(Stock.class)
			.withUserConfiguration(TransactionsFirst.class, DistributedLockAopConfiguration.class)
			.run((context) -> {
				context.getBean(Stock.class).reserve();

				assertThat(context.getBean(RecordingScopes.class).log).containsExactly("open stock",
						"body in transaction", "close stock", "committed");
			});
	}

	private static ApplicationContextRunner real() {
		return new ApplicationContextRunner()
			.withUserConfiguration(Database.class, Engine.class, Transactions.class,
					DistributedLockAopConfiguration.class)
			.withBean(Notes.class)
			.withBean(Caller.class);
	}

	@Test
	void aLeaseOfACallInsideATransactionIsKeptUntilItsCommit() {
		real().run((context) -> {
			Notes notes = context.getBean(Notes.class);
			context.getBean(Caller.class).inTransaction(() -> {
				notes.write("a");
				assertThat(LockContext.current().key()).isEqualTo("notes");
				assertThat(context.getBean(Operator.class).keys()).containsExactly("notes");
			});

			assertThat(notes.all()).containsExactly("a");
			assertThat(context.getBean(Operator.class).keys()).isEmpty();
			assertThat(LockContext.find()).isEmpty();
		});
	}

	@Test
	void aKeptLeaseIsReEnteredInTheSameTransaction() {
		real().run((context) -> {
			Notes notes = context.getBean(Notes.class);
			long[] tokens = new long[2];
			context.getBean(Caller.class).inTransaction(() -> {
				tokens[0] = notes.write("a");
				tokens[1] = notes.write("b");
			});

			assertThat(tokens[1]).isEqualTo(tokens[0]);
			assertThat(context.getBean(Operator.class).keys()).isEmpty();
		});
	}

	@Test
	void aLeaseIsReleasedAfterARollback() {
		real().run((context) -> {
			Notes notes = context.getBean(Notes.class);
			assertThatIllegalStateException().isThrownBy(() -> context.getBean(Caller.class).inTransaction(() -> {
				notes.write("a");
				throw new IllegalStateException("roll back");
			}));

			assertThat(notes.all()).isEmpty();
			assertThat(context.getBean(Operator.class).keys()).isEmpty();
		});
	}

	@Test
	void aLeaseIsKeptForTheTransactionThatItsCallRunsIn() {
		real().run((context) -> {
			Notes notes = context.getBean(Notes.class);
			Caller caller = context.getBean(Caller.class);
			Operator operator = context.getBean(Operator.class);
			caller.inTransaction(() -> {
				caller.inNewTransaction(() -> {
					notes.write("a");
					assertThat(operator.keys()).containsExactly("notes");
				});
				assertThat(operator.keys()).isEmpty();
				notes.writeInNewTransaction("b");
				assertThat(operator.keys()).containsExactly("new");
			});

			assertThat(notes.all()).containsExactly("a", "b");
			assertThat(operator.keys()).isEmpty();
		});
	}

	@Test
	void aKeptLeaseThatIsLostRollsTheTransactionBack() {
		real().run((context) -> {
			Notes notes = context.getBean(Notes.class);
			assertThatExceptionOfType(LeaseLostException.class)
				.isThrownBy(() -> context.getBean(Caller.class).inTransaction(() -> {
					notes.write("a");
					context.getBean(Operator.class).forceRelease("notes");
				}));

			assertThat(notes.all()).isEmpty();
		});
	}

	@Test
	void aKeptLeaseWhoseLossIsIgnoredCommits() {
		real().run((context) -> {
			Notes notes = context.getBean(Notes.class);
			context.getBean(Caller.class).inTransaction(() -> {
				notes.writeAnyway("a");
				context.getBean(Operator.class).forceRelease("anyway");
			});

			assertThat(notes.all()).containsExactly("a");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean(destroyMethod = "shutdown")
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		DataSourceTransactionManager transactionManager(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 200)
	static class TransactionsFirst {

	}

	@Configuration(proxyBeanMethods = false)
	static class Engine {

		private final VirtualLockClock clock = new VirtualLockClock();

		private final LocalStore store = new LocalStore(this.clock);

		@Bean(destroyMethod = "stop")
		LockEngine engine() {
			return new LockEngine(new LocalLockBackend(this.store, "one", this.clock), EngineSettings.DEFAULTS,
					this.clock, List.of(), List.of());
		}

		@Bean
		DefaultScopes scopes(LockEngine engine) {
			return new DefaultScopes(engine, new TransactionLeaseRetention(WhenActive.HOLD));
		}

		@Bean
		Operator operator() {
			return new Operator(new LocalLockBackend(this.store, "operator", this.clock).connect((ownerId) -> {
			}), this.clock);
		}

	}

	record Operator(BackendConnection store, VirtualLockClock clock) {

		List<String> keys() {
			return ListedLocks.all(this.store).toCompletableFuture().join().stream().map((info) -> info.key()).toList();
		}

		/** Take the lock away, and let the next renewal notice it. */
		void forceRelease(String key) {
			assertThat(this.store.forceRelease(key, Duration.ZERO).toCompletableFuture().join()).isTrue();
			this.clock.advance(EngineSettings.DEFAULTS.ttl());
		}

	}

	public static class Stock {

		private final RecordingScopes scopes;

		Stock(RecordingScopes scopes) {
			this.scopes = scopes;
		}

		@Transactional
		@DistributedLock(name = "stock")
		public void reserve() {
			List<String> log = this.scopes.log;
			log.add("body " + (TransactionSynchronizationManager.isActualTransactionActive() ? "in" : "without")
					+ " transaction");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					log.add("committed");
				}

			});
		}

	}

	public static class Notes {

		private final JdbcTemplate jdbc;

		Notes(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
			this.jdbc.execute("create table note (text varchar(20))");
		}

		@Transactional
		@DistributedLock(name = "notes")
		public long write(String text) {
			insert(text);
			return LockContext.current().fencingToken();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "new")
		public void writeInNewTransaction(String text) {
			insert(text);
		}

		@DistributedLock(name = "anyway", onLost = OnLost.IGNORE)
		public void writeAnyway(String text) {
			insert(text);
		}

		private void insert(String text) {
			this.jdbc.update("insert into note values (?)", text);
		}

		List<String> all() {
			return this.jdbc.queryForList("select text from note", String.class);
		}

	}

	public static class Caller {

		@Transactional
		public void inTransaction(Runnable body) {
			body.run();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void inNewTransaction(Runnable body) {
			body.run();
		}

	}

}
