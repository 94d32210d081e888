package io.distributedlock.autoconfigure;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import io.distributedlock.LockRefusedException;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the creation of the tables of the locks.
 */
class JdbcLockSchemaTests {

	@TempDir
	private Path folder;

	private final String url = JdbcLockAutoConfigurationTests.url();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceInitializationAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=" + this.url);

	@Test
	void tablesOfAnEmbeddedDatabaseAreCreated() {
		this.runner.run((context) -> {
			DataSource dataSource = context.getBean(DataSource.class);
			assertThat(JdbcLockAutoConfigurationTests.held(dataSource, "distributed_lock")).isZero();
			assertThat(JdbcLockAutoConfigurationTests.held(dataSource, "distributed_lock_reader")).isZero();
		});
	}

	@Test
	void tablesOfOtherDatabasesAreCreatedWhenAskedFor() {
		this.runner.withPropertyValues("spring.datasource.url=" + file(), "lock.jdbc.initialize-schema=always")
			.run((context) -> assertThat(
					JdbcLockAutoConfigurationTests.held(context.getBean(DataSource.class), "distributed_lock"))
				.isZero());
	}

	@Test
	void databaseInAFileCountsAsNotEmbedded() {
		this.runner.withPropertyValues("spring.datasource.url=" + file())
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void tablesHaveTheNamesOfTheProperties() {
		this.runner.withPropertyValues("lock.jdbc.table=my_locks", "lock.jdbc.reader-table=my_readers")
			.run((context) -> {
				context.getBean(LockTemplate.class).acquire("k");

				DataSource dataSource = context.getBean(DataSource.class);
				assertThat(JdbcLockAutoConfigurationTests.held(dataSource, "my_locks")).isEqualTo(1);
				assertThat(JdbcLockAutoConfigurationTests.held(dataSource, "my_readers")).isZero();
			});
	}

	@Test
	void readerTableIsNamedAfterTheTable() {
		this.runner.withPropertyValues("lock.jdbc.table=my_locks")
			.run((context) -> assertThat(
					JdbcLockAutoConfigurationTests.held(context.getBean(DataSource.class), "my_locks_reader"))
				.isZero());
	}

	@Test
	void nameOfATableThatIsNoneEndsTheStart() {
		this.runner.withPropertyValues("lock.jdbc.table=a; drop table b").run((context) -> {
			FailureAnalysis analysis = StartFailures.analyze(context);
			assertThat(analysis.getDescription()).contains("lock.jdbc.table").contains("'a; drop table b'");
			assertThat(analysis.getAction()).isEqualTo("Change the property that it names.");
		});
	}

	@Test
	void platformThatIsNotSupportedEndsTheStartWithThoseThatAre() {
		this.runner.withPropertyValues("lock.jdbc.platform=db2")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("The store 'jdbc' at " + this.url.replaceFirst(";.*", "")
						+ " can't keep the locks: There is no SQL dialect 'db2' (lock.jdbc.platform),"
						+ " but there are h2, postgresql, mariadb, mysql, oracle, sqlserver, portable"));
	}

	@Test
	void scriptOfTheApplicationThatIsNotThereEndsTheStart() {
		this.runner.withPropertyValues("lock.jdbc.schema=classpath:nowhere.sql")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("nowhere.sql"));
	}

	@Test
	void missingTableEndsTheStartWithTheDdlToRun() {
		this.runner.withPropertyValues("lock.jdbc.initialize-schema=never", "lock.jdbc.table=my_locks")
			.run((context) -> {
				String description = StartFailures.analyze(context).getDescription();
				assertThat(description).startsWith("The store 'jdbc' at " + this.url.replaceFirst(";.*", "")
						+ " can't keep the locks: It failed at taking a lock: The table of locks"
						+ " 'my_locks' is not there. Set lock.jdbc.initialize-schema=always, for which the user 'SA' needs the right to"
						+ " create tables, or run this once: CREATE TABLE")
					.contains("CREATE TABLE IF NOT EXISTS my_locks (")
					.contains("CREATE TABLE IF NOT EXISTS my_locks_reader (");
			});
	}

	@Test
	void tableWithTimesThatDependOnTheZoneOfASessionEndsTheStart() {
		this.runner
			.withPropertyValues("lock.jdbc.initialize-schema=never", "lock.jdbc.table=by_hand",
					"spring.sql.init.schema-locations=classpath:io/distributedlock/autoconfigure/by-hand-schema.sql")
			.run((context) -> assertThat(StartFailures.analyze(context).getDescription())
				.isEqualTo("The store 'jdbc' at " + this.url.replaceFirst(";.*", "")
						+ " can't keep the locks: It failed at taking a lock: The table of locks"
						+ " 'by_hand' can't be used by this version: the column 'expires_at' has the type TIMESTAMP instead of"
						+ " TIMESTAMP(6) WITH TIME ZONE, which depends on the session's zone; the column 'format' is"
						+ " missing, which 'ALTER TABLE by_hand ADD format SMALLINT DEFAULT 1 NOT NULL' adds"));
	}

	@Test
	void missingTableWithoutFailFastIsReportedByEveryLock() {
		this.runner.withPropertyValues("lock.jdbc.initialize-schema=never", "lock.fail-fast=false")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockTemplate.class).tryAcquire("k"))
				.withCauseInstanceOf(LockRefusedException.class)
				.withMessageContaining("CREATE TABLE"));
	}

	@Test
	void tablesMayBeCreatedByTheScriptsOfTheApplication() {
		this.runner
			.withPropertyValues("lock.jdbc.initialize-schema=never", "lock.jdbc.table=scripted",
					"spring.sql.init.schema-locations=classpath:io/distributedlock/autoconfigure/scripted-schema.sql")
			.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
	}

	@Test
	void scriptOfTheApplicationNamesTheTablesByPlaceholders() {
		this.runner
			.withPropertyValues("lock.jdbc.table=own_name",
					"lock.jdbc.schema=classpath:io/distributedlock/autoconfigure/own-@@platform@@.sql")
			.run((context) -> assertThat(context.getBean(LockTemplate.class).tryAcquire("k")).isPresent());
	}

	@Test
	void scriptThatFailsEndsTheStartUnlessTheStartGoesOnOnErrors() {
		ApplicationContextRunner broken = this.runner
			.withPropertyValues("lock.jdbc.schema=classpath:io/distributedlock/autoconfigure/broken.sql");

		broken.withPropertyValues("lock.jdbc.continue-on-error=false")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("broken.sql"));
		broken.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void instancesThatStartAtOnceDoNotFail() throws Exception {
		int instances = 4;
		CyclicBarrier start = new CyclicBarrier(instances);
		ExecutorService threads = Executors.newFixedThreadPool(instances);
		Callable<Throwable> instance = () -> {
			start.await();
			Throwable[] failure = { null };
			this.runner.withPropertyValues("lock.jdbc.continue-on-error=false")
				.run((context) -> failure[0] = context.getStartupFailure());
			return failure[0];
		};
		try {
			List<Future<Throwable>> outcomes = IntStream.range(0, instances)
				.mapToObj((number) -> threads.submit(instance))
				.toList();

			for (Future<Throwable> outcome : outcomes) {
				assertThat(outcome.get()).isNull();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	private String file() {
		return "jdbc:h2:file:" + this.folder.resolve("locks").toAbsolutePath();
	}

}
