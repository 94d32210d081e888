package io.distributedlock.recipes;

import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
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

	/**
	 * How often callers meet, so that they also meet at the worst moment.
	 */
	private static final int ROUNDS = 20;

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

	@RepeatedTest(ROUNDS)
	void atomicUpdateTakesNoMorePiecesThanThereAre(RepetitionInfo round) throws Exception {
		int article = round.getCurrentRepetition();
		this.jdbc.update("insert into stock values (?, 3)", article);

		assertThat(SimultaneousCalls.of(CALLERS, (caller) -> this.shop.take(article))).filteredOn((taken) -> taken)
			.hasSize(3);
		assertThat(number("select pieces from stock where article = ?", article)).isZero();
	}

	@RepeatedTest(ROUNDS)
	void uniqueIndexAcceptsOneCustomerOfAName(RepetitionInfo round) throws Exception {
		String name = "ada " + round.getCurrentRepetition();

		assertThat(SimultaneousCalls.of(CALLERS, (caller) -> this.shop.register(name))).containsOnlyOnce(true);
		assertThat(number("select count(*) from customer where name = ?", name)).isOne();
	}

	@RepeatedTest(ROUNDS)
	void requestThatIsSentAgainIsAppliedOnce(RepetitionInfo round) throws Exception {
		int account = round.getCurrentRepetition();
		this.jdbc.update("insert into account values (?, 0)", account);
		UUID request = UUID.randomUUID();

		SimultaneousCalls.of(CALLERS, (caller) -> {
			this.shop.deposit(request, account, 50);
			return null;
		});

		assertThat(number("select balance from account where id = ?", account)).isEqualTo(50);
	}

	@Test
	void requestWhoseTransactionWasRolledBackIsAppliedWhenItIsSentAgain() {
		this.jdbc.update("insert into account values (0, 0)");
		UUID request = UUID.randomUUID();
		this.context.getBean(TransactionTemplate.class).executeWithoutResult((status) -> {
			this.shop.deposit(request, 0, 50);
			status.setRollbackOnly();
		});

		this.shop.deposit(request, 0, 50);

		assertThat(number("select balance from account where id = ?", 0)).isEqualTo(50);
	}

	@RepeatedTest(ROUNDS)
	void versionLetsNoDiscountBeOverwritten(RepetitionInfo round) throws Exception {
		int article = round.getCurrentRepetition();
		this.jdbc.update("insert into price values (?, 25600, 0)", article);

		SimultaneousCalls.of(CALLERS, (caller) -> {
			this.shop.discount(article, 50);
			return null;
		});

		assertThat(number("select cents from price where article = ?", article)).isEqualTo(100);
		assertThat(number("select version from price where article = ?", article)).isEqualTo(CALLERS);
	}

	@RepeatedTest(ROUNDS)
	void lockedRowKeepsAFlightFromBeingOverbooked(RepetitionInfo round) throws Exception {
		int flight = round.getCurrentRepetition();
		this.jdbc.update("insert into flight values (?, 3)", flight);

		assertThat(SimultaneousCalls.of(CALLERS, (caller) -> this.shop.book(flight, "passenger " + caller)))
			.filteredOn((booked) -> booked)
			.hasSize(3);
		assertThat(number("select count(*) from booking where flight = ?", flight)).isEqualTo(3);
	}

	private long number(String query, Object id) {
		return this.jdbc.queryForObject(query, Long.class, id);
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
