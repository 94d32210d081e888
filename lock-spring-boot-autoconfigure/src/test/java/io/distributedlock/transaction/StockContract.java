package io.distributedlock.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.context.annotation.UserConfigurations;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockTemplate;
import io.distributedlock.OnBusy;
import io.distributedlock.autoconfigure.LockAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract for two instances of an application, with locks and stock in one database,
 * that sell the last piece. A holder reads what the previous holder wrote, however lock
 * and transaction are nested.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class StockContract {

	private static final String READ = "SELECT pieces FROM stock_of_test WHERE id = 1";

	private static final String WRITE = "UPDATE stock_of_test SET pieces = ? WHERE id = 1";

	private final String prefix = UUID.randomUUID() + ":";

	private JdbcTemplate jdbc;

	private Instance one;

	private Instance other;

	/**
	 * Return a database that supplies more than ten connections at once.
	 */
	protected abstract DataSource dataSource();

	/**
	 * Return whether the database refuses to overwrite changes that a transaction at
	 * REPEATABLE READ has not seen.
	 */
	protected abstract boolean refusesToOverwriteWhatWasNotSeen();

	@BeforeAll
	void startInstances() {
		DataSource dataSource = dataSource();
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.execute("DROP TABLE IF EXISTS stock_of_test");
		this.jdbc.execute("CREATE TABLE stock_of_test (id INT NOT NULL PRIMARY KEY, pieces INT NOT NULL)");
		this.one = new Instance(dataSource, this.prefix);
		this.other = new Instance(dataSource, this.prefix);
	}

	@AfterAll
	void stopInstances() {
		this.one.context.close();
		this.other.context.close();
	}

	@BeforeEach
	void putOnePieceIntoStock() {
		this.jdbc.update("DELETE FROM stock_of_test");
		this.jdbc.update("INSERT INTO stock_of_test VALUES (1, 1)");
	}

	@ParameterizedTest
	@EnumSource
	void lastPieceIsSoldOnce(Nesting nesting) {
		List<Optional<Boolean>> meanwhile = new ArrayList<>();

		Optional<Boolean> sold = nesting.sell(this.one, () -> meanwhile.add(sellElsewhere()), false);

		assertThat(sold).hasValue(true);
		assertThat(meanwhile).as("before and after the commit, the lock is busy")
			.hasSizeGreaterThanOrEqualTo(2)
			.allSatisfy((outcome) -> assertThat(outcome).isEmpty());
		assertThat(sellElsewhere()).as("sold out").hasValue(false);
		assertThat(pieces()).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void pieceWhoseSaleIsRolledBackCanBeSold(Nesting nesting) {
		List<Optional<Boolean>> meanwhile = new ArrayList<>();

		assertThatExceptionOfType(SaleFailedException.class)
			.isThrownBy(() -> nesting.sell(this.one, () -> meanwhile.add(sellElsewhere()), true));

		assertThat(meanwhile).isNotEmpty().allSatisfy((outcome) -> assertThat(outcome).isEmpty());
		assertThat(sellElsewhere()).hasValue(true);
		assertThat(pieces()).isZero();
	}

	/**
	 * A lock does not help if the snapshot of the transaction around it is older than the
	 * lock.
	 */
	@Test
	void lockInsideATransactionThatHasReadShowsAnOldStockAtRepeatableRead() {
		TransactionTemplate repeatable = this.one.transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ);

		Stream.Builder<Object> seen = Stream.builder();
		Runnable sale = () -> repeatable.executeWithoutResult((status) -> {
			this.one.stock.read();
			assertThat(sellElsewhere()).hasValue(true);
			seen.add(this.one.stock.read());
			assertThat(this.one.stock.sell(() -> {
			}, false)).hasValue(true);
		});

		if (refusesToOverwriteWhatWasNotSeen()) {
			assertThatExceptionOfType(ConcurrencyFailureException.class).isThrownBy(sale::run);
		}
		else {
			sale.run();
		}
		assertThat(seen.build()).as("sold already, as one would see outside").containsExactly(1);
		assertThat(pieces()).isZero();
	}

	@Test
	void lockInsideATransactionThatHasReadShowsTheStockAtReadCommitted() {
		Optional<Boolean> sold = this.one.transaction(TransactionDefinition.ISOLATION_READ_COMMITTED)
			.execute((status) -> {
				this.one.stock.read();
				assertThat(sellElsewhere()).hasValue(true);
				return this.one.stock.sell(() -> {
				}, false);
			});

		assertThat(sold).as("sold out").hasValue(false);
	}

	@Test
	void lockAroundTheTransactionShowsTheStockAtRepeatableRead() {
		TransactionTemplate repeatable = this.one.transaction(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		assertThat(sellElsewhere()).hasValue(true);

		Optional<Boolean> sold = this.one.locks.tryExecute("stock",
				(lease) -> repeatable.execute((status) -> this.one.stock.sellNow(() -> {
				}, false)));

		assertThat(sold).as("sold out").hasValue(false);
	}

	private Optional<Boolean> sellElsewhere() {
		return elsewhere(() -> this.other.stock.sell(() -> {
		}, false));
	}

	private int pieces() {
		return this.jdbc.queryForObject(READ, Integer.class);
	}

	private static <T> T elsewhere(Supplier<T> call) {
		// A body that began although the lock was held would wait for the row of the
		// other one.
		return CompletableFuture.supplyAsync(call).orTimeout(30, TimeUnit.SECONDS).join();
	}

	/**
	 * How lock and transaction are nested.
	 */
	enum Nesting {

		LOCK_AND_TRANSACTION_ON_ONE_METHOD {

			@Override
			Optional<Boolean> sell(Instance instance, Runnable meanwhile, boolean rollback) {
				return instance.stock.sell(meanwhile, rollback);
			}

		},

		CALLER_HAS_A_TRANSACTION {

			@Override
			Optional<Boolean> sell(Instance instance, Runnable meanwhile, boolean rollback) {
				return instance.transaction(TransactionDefinition.ISOLATION_DEFAULT).execute((status) -> {
					Optional<Boolean> sold = instance.stock.sell(meanwhile, rollback);
					meanwhile.run();
					return sold;
				});
			}

		},

		CALLER_HAS_A_TRANSACTION_AND_THE_METHOD_ANOTHER {

			@Override
			Optional<Boolean> sell(Instance instance, Runnable meanwhile, boolean rollback) {
				return instance.transaction(TransactionDefinition.ISOLATION_DEFAULT)
					.execute((status) -> instance.stock.sellIndependently(meanwhile, rollback));
			}

		},

		TEMPLATES {

			@Override
			Optional<Boolean> sell(Instance instance, Runnable meanwhile, boolean rollback) {
				return instance.locks.tryExecute("stock",
						(lease) -> instance.transaction(TransactionDefinition.ISOLATION_DEFAULT)
							.execute((status) -> instance.stock.sellNow(meanwhile, rollback)));
			}

		};

		abstract Optional<Boolean> sell(Instance instance, Runnable meanwhile, boolean rollback);

	}

	/**
	 * One of the instances.
	 */
	private static final class Instance {

		private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

		private final Stock stock;

		private final LockTemplate locks;

		Instance(DataSource dataSource, String prefix) {
			TestPropertyValues
				.of("lock.backend=jdbc", "lock.jdbc.initialize-schema=always", "lock.jdbc.table=stock_lock",
						"lock.key-prefix=" + prefix,
						// A slow machine must not make a sale fail.
						"lock.call-timeout=10s")
				.applyTo(this.context);
			this.context.registerBean(DataSource.class, () -> dataSource, (bean) -> bean.setDestroyMethodName(""));
			this.context.register(Configurations.getClasses(UserConfigurations.of(Application.class),
					AutoConfigurations.of(LockAutoConfiguration.class)));
			this.context.refresh();
			this.stock = this.context.getBean(Stock.class);
			this.locks = this.context.getBean(LockTemplate.class);
		}

		TransactionTemplate transaction(int isolation) {
			TransactionTemplate template = new TransactionTemplate(
					this.context.getBean(PlatformTransactionManager.class));
			template.setIsolationLevel(isolation);
			return template;
		}

	}

	static class SaleFailedException extends RuntimeException {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Application {

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		Stock stock(DataSource dataSource) {
			return new Stock(new JdbcTemplate(dataSource));
		}

	}

	static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLock(name = "stock", onBusy = OnBusy.SKIP)
		Optional<Boolean> sell(Runnable meanwhile, boolean rollback) {
			return Optional.of(sellNow(meanwhile, rollback));
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		@DistributedLock(name = "stock", onBusy = OnBusy.SKIP)
		Optional<Boolean> sellIndependently(Runnable meanwhile, boolean rollback) {
			return Optional.of(sellNow(meanwhile, rollback));
		}

		/**
		 * Sell in the running transaction.
		 * @param meanwhile runs before the commit and after it
		 * @param rollback whether the sale fails
		 * @return whether a piece was left
		 */
		boolean sellNow(Runnable meanwhile, boolean rollback) {
			int pieces = read();
			if (pieces == 0) {
				return false;
			}
			this.jdbc.update(WRITE, pieces - 1);
			meanwhile.run();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					meanwhile.run();
				}

			});
			if (rollback) {
				throw new SaleFailedException();
			}
			return true;
		}

		int read() {
			return this.jdbc.queryForObject(READ, Integer.class);
		}

	}

}
