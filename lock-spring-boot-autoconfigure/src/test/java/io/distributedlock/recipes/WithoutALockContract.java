package io.distributedlock.recipes;

import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for changes that a database keeps apart without a lock: eight callers make
 * them at the same time.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class WithoutALockContract {

	private static final int CALLERS = 8;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private JdbcTemplate jdbc;

	private UnlockedShop shop;

	/**
	 * Return a database without tables, with a connection for each caller. It knows
	 * {@code on conflict do nothing}.
	 */
	protected abstract DataSource dataSource();

	@BeforeAll
	void open() {
		DataSource dataSource = dataSource();
		this.context.registerBean(DataSource.class, () -> dataSource, (bean) -> bean.setDestroyMethodName(""));
		this.context.register(Application.class);
		this.context.refresh();
		this.jdbc = this.context.getBean(JdbcTemplate.class);
		this.shop = this.context.getBean(UnlockedShop.class);
		List.of("stock (article bigint primary key, pieces int not null)", "customer (name varchar(100) primary key)",
				"request (id uuid primary key)", "account (id bigint primary key, balance bigint not null)",
				"price (article bigint primary key, cents bigint not null, version bigint not null)",
				"flight (id bigint primary key, seats int not null)",
				"booking (flight bigint not null, passenger varchar(100) not null)")
			.forEach((table) -> this.jdbc.execute("create table " + table));
	}

	@AfterAll
	void close() {
		this.context.close();
	}

	@Test
	void atomicUpdateTakesNoMorePiecesThanThereAre() throws Exception {
		this.jdbc.update("insert into stock values (1, 3)");

		assertThat(SimultaneousCalls.of(CALLERS, (caller) -> this.shop.take(1))).filteredOn((taken) -> taken)
			.hasSize(3);
		assertThat(number("select pieces from stock where article = 1")).isZero();
	}

	@Test
	void uniqueIndexAcceptsOneCustomerOfAName() throws Exception {
		assertThat(SimultaneousCalls.of(CALLERS, (caller) -> this.shop.register("ada"))).containsOnlyOnce(true);
		assertThat(number("select count(*) from customer where name = 'ada'")).isOne();
	}

	@Test
	void requestThatIsSentAgainIsAppliedOnce() throws Exception {
		this.jdbc.update("insert into account values (1, 0)");
		UUID request = UUID.randomUUID();

		SimultaneousCalls.of(CALLERS, (caller) -> {
			this.shop.deposit(request, 1, 50);
			return null;
		});

		assertThat(number("select balance from account where id = 1")).isEqualTo(50);
	}

	@Test
	void requestWhoseTransactionWasRolledBackIsAppliedWhenItIsSentAgain() {
		this.jdbc.update("insert into account values (2, 0)");
		UUID request = UUID.randomUUID();
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			this.shop.deposit(request, 2, 50);
			status.setRollbackOnly();
		});

		this.shop.deposit(request, 2, 50);

		assertThat(number("select balance from account where id = 2")).isEqualTo(50);
	}

	@Test
	void versionLetsNoDiscountBeOverwritten() throws Exception {
		this.jdbc.update("insert into price values (1, 25600, 0)");

		SimultaneousCalls.of(CALLERS, (caller) -> {
			this.shop.discount(1, 50);
			return null;
		});

		assertThat(number("select cents from price where article = 1")).isEqualTo(100);
		assertThat(number("select version from price where article = 1")).isEqualTo(CALLERS);
	}

	@Test
	void lockedRowKeepsAFlightFromBeingOverbooked() throws Exception {
		this.jdbc.update("insert into flight values (1, 3)");

		assertThat(SimultaneousCalls.of(CALLERS, (caller) -> this.shop.book(1, "passenger " + caller)))
			.filteredOn((booked) -> booked)
			.hasSize(3);
		assertThat(number("select count(*) from booking where flight = 1")).isEqualTo(3);
	}

	private long number(String query) {
		return this.jdbc.queryForObject(query, Long.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Application {

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		TransactionTemplate transactionTemplate(JdbcTransactionManager transactionManager) {
			return new TransactionTemplate(transactionManager);
		}

		@Bean
		JdbcTemplate jdbcTemplate(DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

		@Bean
		UnlockedShop shop(JdbcTemplate jdbcTemplate) {
			return new UnlockedShop(jdbcTemplate);
		}

	}

}
