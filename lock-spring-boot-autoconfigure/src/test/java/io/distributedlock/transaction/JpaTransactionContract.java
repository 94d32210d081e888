package io.distributedlock.transaction;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.context.annotation.UserConfigurations;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.DistributedLock;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.StaleTokenException;
import io.distributedlock.autoconfigure.LockAutoConfiguration;
import io.distributedlock.autoconfigure.LockFencingAutoConfiguration;
import io.distributedlock.fencing.FencingGuard;
import io.distributedlock.test.FakeLease;
import io.distributedlock.test.Leases;
import io.distributedlock.test.LocalLocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Contract of guards and locks around and inside JPA transactions, in any database. The
 * locks are in memory, so that a test can trigger the loss of a lease.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class JpaTransactionContract {

	private static final long TOKEN = 1_780_000_000_000_000L;

	private static final String RESOURCE = "account:1";

	private AnnotationConfigApplicationContext context;

	private JdbcTemplate jdbc;

	private TransactionTemplate transaction;

	private EntityManager entities;

	private FencingGuard guard;

	private LockTemplate locks;

	private LocalLocks locals;

	private Accounts accounts;

	/**
	 * Return a database whose connections several threads may use.
	 */
	protected abstract DataSource dataSource();

	@BeforeAll
	void startApplication() {
		DataSource dataSource = dataSource();
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.execute("DROP TABLE IF EXISTS jpa_fence");
		this.jdbc.execute("DROP TABLE IF EXISTS guarded_account");
		this.context = new AnnotationConfigApplicationContext();
		TestPropertyValues
			.of("lock.backend=local", "lock.fencing.initialize-schema=always", "lock.fencing.table=jpa_fence")
			.applyTo(this.context);
		this.context.registerBean(DataSource.class, () -> dataSource, (bean) -> bean.setDestroyMethodName(""));
		this.context.register(Configurations.getClasses(UserConfigurations.of(Application.class),
				AutoConfigurations.of(LockAutoConfiguration.class, LockFencingAutoConfiguration.class)));
		this.context.refresh();
		this.transaction = new TransactionTemplate(this.context.getBean(JpaTransactionManager.class));
		this.entities = this.context.getBean(EntityManager.class);
		this.guard = this.context.getBean(FencingGuard.class);
		this.locks = this.context.getBean(LockTemplate.class);
		this.locals = this.context.getBean(LocalLocks.class);
		this.accounts = this.context.getBean(Accounts.class);
	}

	@AfterAll
	void closeApplication() {
		this.context.close();
	}

	@BeforeEach
	void startWithOneAccount() {
		this.jdbc.update("DELETE FROM jpa_fence");
		this.jdbc.update("DELETE FROM guarded_account");
		this.jdbc.update("INSERT INTO guarded_account (id, balance, fence) VALUES (1, 100, 0)");
		GuardedAccount.setWhileFlushed(() -> {
		});
	}

	@Test
	void tokenAndEntityCommitTogether() {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check(RESOURCE, TOKEN);
			setBalance(90);
			this.entities.flush();

			assertThat(elsewhere(this::tokens)).isEmpty();
			assertThat(elsewhere(this::balance)).isEqualTo(100);
		});

		assertThat(tokens()).containsExactly(TOKEN);
		assertThat(balance()).isEqualTo(90);
	}

	@Test
	void tokenOfATransactionThatWasRolledBackWasNotSeen() {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check(RESOURCE, TOKEN);
			setBalance(90);
			status.setRollbackOnly();
		});

		assertThat(tokens()).isEmpty();
		assertThat(balance()).isEqualTo(100);
	}

	@Test
	void staleTokenRollsBackWhatIsNotFlushedYet() {
		assertRollsBackWhenStale((token) -> {
			setBalance(80);
			this.guard.check(RESOURCE, token);
		});
	}

	@Test
	void staleTokenRollsBackWhatWasFlushedBefore() {
		assertRollsBackWhenStale((token) -> {
			setBalance(80);
			this.entities.flush();
			this.guard.check(RESOURCE, token);
		});
	}

	@Test
	void staleTokenThatTheBodySwallowsRollsBackNothingByItself() {
		write(TOKEN + 1, 90);

		this.transaction.executeWithoutResult((status) -> {
			assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> this.guard.check(RESOURCE, TOKEN));
			setBalance(80);
		});

		assertThat(balance()).as("the exception is what rolls back").isEqualTo(80);
	}

	private void assertRollsBackWhenStale(LongConsumer body) {
		write(TOKEN + 1, 90);

		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> body.accept(TOKEN)));

		assertThat(balance()).isEqualTo(90);
		assertThat(tokens()).containsExactly(TOKEN + 1);
	}

	@Test
	void laterHolderWaitsForWhatHibernateFlushesOnlyAtTheCommit() throws Exception {
		CountDownLatch laterIsDone = new CountDownLatch(1);
		CompletableFuture<Void> later = new CompletableFuture<>();

		this.transaction.executeWithoutResult((status) -> {
			this.guard.check(RESOURCE, TOKEN);
			setBalance(90);
			later.completeAsync(() -> {
				write(TOKEN + 1, 70);
				laterIsDone.countDown();
				return null;
			});
			assertThat(waitedInVainFor(laterIsDone)).isTrue();
		});

		later.get(30, TimeUnit.SECONDS);
		assertThat(balance()).isEqualTo(70);
		assertThat(tokens()).containsExactly(TOKEN + 1);
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> write(TOKEN, 90));
	}

	/**
	 * The longer this waits, the more reliably it detects a check that does not hold the
	 * row.
	 */
	private static boolean waitedInVainFor(CountDownLatch latch) {
		try {
			return !latch.await(300, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void conditionalUpdateRefusesAStaleTokenAndRollsBackTheEntities() {
		this.transaction.executeWithoutResult((status) -> updateWith(TOKEN + 1, 90));

		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.entities.persist(new GuardedAccount(2, 5));
				updateWith(TOKEN, 80);
			}));

		assertThat(balance()).isEqualTo(90);
		assertThat(this.jdbc.queryForObject("SELECT COUNT(*) FROM guarded_account", Integer.class)).isOne();
		this.transaction.executeWithoutResult((status) -> updateWith(TOKEN + 1, 85));
		assertThat(balance()).isEqualTo(85);
	}

	private void updateWith(long token, long balance) {
		int updated = this.entities.createQuery("""
				update GuardedAccount a set a.balance = :balance, a.fence = :token
				where a.id = 1 and a.fence <= :token""")
			.setParameter("balance", balance)
			.setParameter("token", token)
			.executeUpdate();
		FencingGuard.requireUpdated(updated, RESOURCE, token);
	}

	@Test
	void managerThatKeepsItsConnectionToItselfIsRefusedByTheGuard() {
		JpaTransactionManager secretive = new JpaTransactionManager(this.context.getBean(EntityManagerFactory.class));
		secretive.setJpaDialect(new DefaultJpaDialect());

		new TransactionTemplate(secretive).executeWithoutResult(
				(status) -> assertThatIllegalStateException().isThrownBy(() -> this.guard.check(RESOURCE, TOKEN))
					.withMessageContaining("not one of the guard's DataSource"));

		assertThat(tokens()).isEmpty();
	}

	@Test
	void leaseThatIsLostInsideRollsBackWhatIsNotFlushedYet() {
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> this.accounts.withdraw(10, () -> this.locals.expire("account")));

		assertThat(balance()).isEqualTo(100);
	}

	@Test
	void leaseThatIsLostInsideRollsBackWhatWasFlushed() {
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.accounts.withdraw(10, () -> {
			this.entities.flush();
			this.locals.takeAway("account");
		}));

		assertThat(balance()).isEqualTo(100);
	}

	@Test
	void transactionTemplateInsideALockIsCheckedToo() {
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.locks.executeWithoutResult("account",
				(lease) -> this.transaction.executeWithoutResult((status) -> {
					setBalance(90);
					this.locals.expire("account");
				})));

		assertThat(balance()).isEqualTo(100);
	}

	@Test
	void leaseThatIsHeldCommits() {
		this.accounts.withdraw(10, () -> {
		});

		assertThat(balance()).isEqualTo(90);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void leaseOfACallInsideATransactionIsKeptUntilItHasCompleted() {
		this.transaction.executeWithoutResult((status) -> {
			this.accounts.withdraw(10, () -> {
			});
			this.accounts.withdraw(10, () -> {
			});

			assertThat(isLocked()).isTrue();
			assertThat(elsewhere(this::balance)).isEqualTo(100);
		});

		assertThat(balance()).isEqualTo(80);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void keptLeaseThatIsLostRollsTheTransactionBack() {
		assertThatExceptionOfType(LeaseLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.accounts.withdraw(10, () -> {
				});
				this.locals.expire("account");
			}));

		assertThat(balance()).isEqualTo(100);
		assertThat(isLocked()).isFalse();
	}

	/**
	 * Hibernate flushes inside the commit, after the check. The check leaves this window
	 * open.
	 */
	@Test
	void leaseThatIsLostWhileHibernateFlushesIsLeftToAGuard() {
		GuardedAccount.setWhileFlushed(() -> this.locals.expire("account"));
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> this.accounts.withdraw(10, () -> {
		}));
		assertThat(balance()).as("committed before the caller was told").isEqualTo(90);

		write(TOKEN + 1, 50);
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> write(TOKEN, 40));
		assertThat(balance()).isEqualTo(50);
	}

	@Test
	void guardKnowsTheTokenOfTheRunningCode() {
		FakeLease lease = Leases.fake("account", TOKEN);

		LockContext.runWith(lease,
				(held) -> this.transaction.executeWithoutResult((status) -> this.guard.check(RESOURCE)));

		assertThat(tokens()).containsExactly(TOKEN);
	}

	private void write(long token, long balance) {
		this.transaction.executeWithoutResult((status) -> {
			this.guard.check(RESOURCE, token);
			setBalance(balance);
		});
	}

	private void setBalance(long balance) {
		this.entities.find(GuardedAccount.class, 1L).setBalance(balance);
	}

	private long balance() {
		return Optional
			.ofNullable(this.jdbc.queryForObject("SELECT balance FROM guarded_account WHERE id = 1", Long.class))
			.orElseThrow();
	}

	private List<Long> tokens() {
		return this.jdbc.queryForList("SELECT token FROM jpa_fence", Long.class);
	}

	private boolean isLocked() {
		return this.context.getBean(Locks.class).find("account").isPresent();
	}

	/**
	 * Read on another thread, which does not take part in the transaction.
	 */
	private static <T> T elsewhere(Supplier<T> look) {
		return CompletableFuture.supplyAsync(look).join();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Application {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setManagedTypes(PersistenceManagedTypes.of(GuardedAccount.class.getName()));
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "create"));
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

		@Bean
		Accounts accounts(EntityManager entities) {
			return new Accounts(entities);
		}

	}

	static class Accounts {

		private final EntityManager entities;

		Accounts(EntityManager entities) {
			this.entities = entities;
		}

		@Transactional
		@DistributedLock(name = "account")
		void withdraw(long amount, Runnable happens) {
			GuardedAccount account = this.entities.find(GuardedAccount.class, 1L);
			account.setBalance(account.balance() - amount);
			happens.run();
		}

	}

}
