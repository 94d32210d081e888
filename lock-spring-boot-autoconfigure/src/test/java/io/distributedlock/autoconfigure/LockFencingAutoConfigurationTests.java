package io.distributedlock.autoconfigure;

import javax.sql.DataSource;

import org.h2.Driver;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.LockTemplate;
import io.distributedlock.StaleTokenException;
import io.distributedlock.fencing.FencingGuard;
import io.distributedlock.fencing.JdbcFencingGuard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link LockFencingAutoConfiguration}.
 */
class LockFencingAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				LockAutoConfiguration.class, LockFencingAutoConfiguration.class))
		.withPropertyValues("lock.backend=local", "spring.datasource.generate-unique-name=true");

	@Test
	void guardChecksTheTokenOfTheLockAroundATransaction() {
		this.runner.run((context) -> {
			FencingGuard guard = context.getBean(FencingGuard.class);
			TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
			long token = context.getBean(LockTemplate.class).execute("order:1", (lease) -> {
				transaction.executeWithoutResult((status) -> guard.check("order:1"));
				return lease.fencingToken();
			});

			transaction.executeWithoutResult((status) -> guard.check("order:1", token + 1));

			assertThatThrownBy(() -> transaction.executeWithoutResult((status) -> guard.check("order:1", token)))
				.isInstanceOf(StaleTokenException.class);
		});
	}

	@Test
	void tableIsCreatedUnderItsName() {
		this.runner.withPropertyValues("lock.fencing.table=fences").run((context) -> {
			context.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> context.getBean(FencingGuard.class).check("order:1", 1));

			assertThat(context.getBean(JdbcTemplate.class).queryForObject("SELECT checks FROM fences", Integer.class))
				.isOne();
		});
	}

	@Test
	void tableIsNotCreatedWhereThatIsNotWanted() {
		this.runner.withPropertyValues("lock.fencing.initialize-schema=never")
			.run((context) -> assertThatThrownBy(() -> context.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> context.getBean(FencingGuard.class).check("order:1", 1)))
				.isInstanceOf(IllegalStateException.class)
				.hasMessageContaining("distributed_lock_fence"));
	}

	@Test
	void databaseThatIsAwayDoesNotEndAStartThatMayGoOnWithoutIt() {
		SimpleDriverDataSource away = new SimpleDriverDataSource(new Driver(), "jdbc:h2:tcp://127.0.0.1:1/away");
		this.runner.withBean(DataSource.class, () -> away).run((context) -> assertThat(context).hasFailed());
		this.runner.withBean(DataSource.class, () -> away)
			.withPropertyValues("lock.fail-fast=false")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(FencingGuard.class));
	}

	@Test
	void nameThatNoTableCanHaveFailsTheStartAndNamesTheProperty() {
		this.runner.withPropertyValues("lock.fencing.table=a; b")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(IllegalArgumentException.class)
				.hasMessageContaining("'a; b'"));
	}

	@Test
	void guardOfTheApplicationTakesThePlaceOfOurs() {
		this.runner.withBean(FencingGuard.class, () -> (resource, token) -> {
		})
			.run((context) -> assertThat(context).hasSingleBean(FencingGuard.class)
				.doesNotHaveBean(JdbcFencingGuard.class));
	}

	@Test
	void severalDatabasesHaveNoGuard() {
		this.runner.withBean("one", DataSource.class, SimpleDriverDataSource::new)
			.withBean("other", DataSource.class, SimpleDriverDataSource::new)
			.run((context) -> assertThat(context).doesNotHaveBean(FencingGuard.class));
	}

	@Test
	void withoutADatabaseThereIsNoGuard() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(FencingGuard.class));
	}

}
