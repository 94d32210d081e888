package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.List;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.distributedlock.DistributedLock;
import io.distributedlock.LeaseLostException;
import io.distributedlock.LockContext;
import io.distributedlock.LockTemplate;
import io.distributedlock.Locks;
import io.distributedlock.OnLost;
import io.distributedlock.transaction.CommitCheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTransactionConfiguration}.
 */
class LockTransactionConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				LockAutoConfiguration.class))
		.withPropertyValues("lock.backend=local", "spring.datasource.generate-unique-name=true");

	@Test
	void managerOfBootRollsBackWhatALostLeaseWrote() {
		this.runner.withBean(Notes.class).run((context) -> {
			assertThatExceptionOfType(LeaseLostException.class)
				.isThrownBy(() -> context.getBean(Notes.class).writeWhile(() -> lose(context)));

			assertThat(context.getBean(Notes.class).all()).isEmpty();
		});
	}

	@Test
	void lossThatIsIgnoredCommits() {
		this.runner.withBean(Notes.class).run((context) -> {
			context.getBean(Notes.class).writeAnywayWhile(() -> lose(context));

			assertThat(context.getBean(Notes.class).all()).containsExactly("anyway");
		});
	}

	@Test
	void managersOfTheApplicationAreCheckedOnce() {
		this.runner.withUserConfiguration(TwoManagers.class).run((context) -> {
			Collection<ConfigurableTransactionManager> managers = context
				.getBeansOfType(ConfigurableTransactionManager.class)
				.values();

			assertThat(managers).hasSize(2).allSatisfy((manager) -> assertThat(checks(manager)).hasSize(1));
		});
	}

	@Test
	void checkCanBeTurnedOff() {
		this.runner.withPropertyValues("lock.transactions.check-before-commit=false")
			.run((context) -> assertThat(checks(context.getBean(ConfigurableTransactionManager.class))).isEmpty());
	}

	@Test
	void negativeMarginFailsTheStartAndNamesTheProperty() {
		this.runner.withPropertyValues("lock.transactions.commit-margin=-1s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("lock.transactions.commit-margin"));
	}

	@Test
	void lockInsideATransactionCanBeRefused() {
		this.runner.withPropertyValues("lock.transactions.when-active=refuse").withBean(Notes.class).run((context) -> {
			LockTemplate template = context.getBean(LockTemplate.class);
			context.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> assertThatExceptionOfType(IllegalTransactionStateException.class)
					.isThrownBy(() -> template.executeWithoutResult("notes", (lease) -> {
					})));

			context.getBean(Notes.class).writeWhile(() -> {
			});

			assertThat(context.getBean(Notes.class).all()).containsExactly("checked");
		});
	}

	private static List<TransactionExecutionListener> checks(ConfigurableTransactionManager manager) {
		return manager.getTransactionExecutionListeners()
			.stream()
			.filter((listener) -> listener instanceof CommitCheck)
			.toList();
	}

	/**
	 * Take the lock away, and verify the lease so that it notices the loss.
	 */
	private static void lose(ConfigurableApplicationContext context) {
		assertThat(context.getBean(Locks.class).forceRelease("notes")).isTrue();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> LockContext.current().verify());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class TwoManagers {

		@Bean
		DataSourceTransactionManager one(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

		@Bean
		DataSourceTransactionManager other(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	public static class Notes {

		private final JdbcTemplate jdbc;

		Notes(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			this.jdbc.execute("create table note (text varchar(20))");
		}

		@Transactional
		@DistributedLock(name = "notes")
		public void writeWhile(Runnable happens) {
			this.jdbc.update("insert into note values ('checked')");
			happens.run();
		}

		@Transactional
		@DistributedLock(name = "notes", onLost = OnLost.IGNORE)
		public void writeAnywayWhile(Runnable happens) {
			this.jdbc.update("insert into note values ('anyway')");
			happens.run();
		}

		List<String> all() {
			return this.jdbc.queryForList("select text from note", String.class);
		}

	}

}
