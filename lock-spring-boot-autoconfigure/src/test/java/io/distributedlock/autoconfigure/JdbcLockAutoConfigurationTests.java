package io.distributedlock.autoconfigure;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.backend.jdbc.JdbcLockBackend;
import io.distributedlock.engine.LockEngine;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the locks in a database, with Spring Boot's own auto-configuration.
 */
class JdbcLockAutoConfigurationTests {

	private final String url = url();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + this.url);

	@Test
	void databaseOfTheApplicationKeepsTheLocks() {
		this.runner.run((context) -> {
			Lease lease = context.getBean(LockTemplate.class).acquire("k");

			assertThat(StoreBehind.of(context.getBean(LockEngine.class))).isInstanceOf(JdbcLockBackend.class);
			assertThat(lease.fencingToken()).isPositive();
			assertThat(held(context.getBean(DataSource.class), "distributed_lock")).isEqualTo(1);
		});
	}

	@Test
	void orderOfTheConfigurationsDoesNotMatter() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockRegistryAutoConfiguration.class, LockAutoConfiguration.class,
					DataSourceAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + this.url)
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)))
				.isInstanceOf(JdbcLockBackend.class));
	}

	@Test
	void dataSourceOfALateConfigurationIsFound() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withUserConfiguration(OneDataSource.class)
			.run((context) -> assertThat(StoreBehind.of(context.getBean(LockEngine.class)))
				.isInstanceOf(JdbcLockBackend.class));
	}

	@Test
	void reportShowsWhyTheStoreIsNotSetUp() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=local")
			.run((context) -> {
				ConditionEvaluationReport report = ConditionEvaluationReport
					.get(context.getSourceApplicationContext().getBeanFactory());
				assertThat(report.getConditionAndOutcomesBySource()
					.get(JdbcLockConfiguration.BackendConfiguration.class.getName()))
					.anySatisfy((outcome) -> assertThat(outcome.getOutcome().getMessage())
						.isEqualTo("@ConditionalOnLockStore jdbc lock.backend names 'local'"));
			});
	}

	@Test
	void withoutJdbcOnTheClassPathTheStoreIsMissed() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.jdbc", "org.springframework.boot.sql",
					"org.springframework.jdbc"))
			.withPropertyValues("lock.backend=jdbc")
			.run((context) -> {
				FailureAnalysis analysis = StartFailures.analyze(context);
				assertThat(analysis.getDescription()).isEqualTo("The store 'jdbc', which 'lock.backend' names, can't be"
						+ " used: Spring Boot's JDBC support is not on the class path.");
				assertThat(analysis.getAction()).isEqualTo(
						"To use it: add the dependency 'org.springframework.boot:spring-boot-starter-jdbc' and the driver"
								+ " of the database, and set 'spring.datasource.url'.");
			});
	}

	@Test
	void withoutJdbcOnTheClassPathOtherStoresWork() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.boot.jdbc", "org.springframework.boot.sql",
					"org.springframework.jdbc", "org.springframework.transaction", "com.zaxxer.hikari"))
			.withPropertyValues("lock.backend=local")
			.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
	}

	@Test
	void withoutADataSourceTheStoreIsMissed() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withPropertyValues("lock.backend=jdbc")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("The store 'jdbc', which 'lock.backend' names, can't be used: there is no DataSource."));
	}

	@Test
	void primaryDataSourceAmongSeveralKeepsTheLocks() {
		this.runner.withUserConfiguration(TwoDataSourcesOnePrimary.class).run((context) -> {
			context.getBean(LockTemplate.class).acquire("k");

			assertThat(held(context.getBean("primary", DataSource.class), "distributed_lock")).isEqualTo(1);
		});
	}

	@Test
	void severalDataSourcesWithoutPrimaryEndTheStartWithWhatToWrite() {
		this.runner.withUserConfiguration(TwoDataSources.class).run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription())
				.contains("- jdbc: there are several DataSources ('first', 'second') and none of them is @Primary");
			assertThat(analysis.getAction())
				.contains("- jdbc: mark the DataSource for locks with @LockDataSource, or one as @Primary");
		});
	}

	@Test
	void dedicatedDataSourceAmongSeveralKeepsTheLocks() {
		this.runner.withUserConfiguration(TwoDataSourcesOneForLocks.class).run((context) -> {
			context.getBean(LockTemplate.class).acquire("k");

			assertThat(held(context.getBean("forLocks", DataSource.class), "distributed_lock")).isEqualTo(1);
		});
	}

	@Test
	void dedicatedDataSourceLeavesSpringBootsOneToTheApplication() {
		this.runner.withUserConfiguration(DataSourceForLocks.class).run((context) -> {
			context.getBean(LockTemplate.class).acquire("k");

			assertThat(context.getBean(DataSource.class)).isSameAs(context.getBean("dataSource"));
			assertThat(held(context.getBean("forLocks", DataSource.class), "distributed_lock")).isEqualTo(1);
		});
	}

	@Test
	void poolThatIsTooSmallEndsTheStartWithWhatToWrite() {
		this.runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=3").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).isEqualTo(
					"The connection pool of the locks has 3 connections at most, which is too few: locks keep two,"
							+ " and callers that hold the others while they wait for a lock would wait for each other.");
			assertThat(analysis.getAction()).isEqualTo(
					"Set its maximum size (such as 'spring.datasource.hikari.maximum-pool-size') to 4 or more, or declare"
							+ " a DataSource for locks alone with @LockDataSource.");
		});
	}

	@Test
	void poolWithFourConnectionsIsEnough() {
		this.runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=4")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void poolForLocksAloneMayBeSmaller() {
		this.runner.withUserConfiguration(SmallPoolForLocks.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
		});
	}

	@Test
	void leasesAreReleasedBeforeThePoolCloses() {
		DataSource other = dataSource(this.url);
		this.runner.run((context) -> {
			context.getBean(LockTemplate.class).acquire("k");
			HikariDataSource pool = context.getBean(HikariDataSource.class);

			context.close();

			assertThat(pool.isClosed()).isTrue();
			assertThat(new JdbcTemplate(other)
				.queryForObject("select count(*) from distributed_lock where owner is not null", Integer.class))
				.isZero();
			this.runner.run((next) -> assertThat(next.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
		});
	}

	@Test
	void contextThatWasPausedAndResumedStillLocks() {
		this.runner.run((context) -> {
			context.getBean(LockTemplate.class).acquire("k");

			context.getSourceApplicationContext().pause();
			context.getSourceApplicationContext().restart();

			assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent();
		});
	}

	static Integer held(DataSource dataSource, String table) {
		return new JdbcTemplate(dataSource).queryForObject("select count(*) from " + table + " where owner is not null",
				Integer.class);
	}

	static String url() {
		return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
	}

	static HikariDataSource dataSource(String url) {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(url);
		dataSource.setUsername("sa");
		return dataSource;
	}

	@Configuration(proxyBeanMethods = false)
	static class OneDataSource {

		@Bean
		DataSource dataSource() {
			return JdbcLockAutoConfigurationTests.dataSource(url());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		DataSource first() {
			return dataSource(url());
		}

		@Bean
		DataSource second() {
			return dataSource(url());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSourcesOnePrimary {

		@Bean
		@Primary
		DataSource primary() {
			return dataSource(url());
		}

		@Bean
		DataSource other() {
			return dataSource(url());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSourcesOneForLocks {

		@Bean
		@Primary
		DataSource first() {
			return dataSource(url());
		}

		@Bean
		@LockDataSource
		DataSource forLocks() {
			return dataSource(url());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DataSourceForLocks {

		@Bean(defaultCandidate = false)
		@LockDataSource
		DataSource forLocks() {
			return dataSource(url());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SmallPoolForLocks {

		@Bean(defaultCandidate = false)
		@LockDataSource
		DataSource forLocks() {
			HikariDataSource dataSource = dataSource(url());
			dataSource.setMaximumPoolSize(3);
			return dataSource;
		}

	}

}
