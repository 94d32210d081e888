package io.distributedlock.benchmarks.movingin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.TaskWithResult;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockContext;
import io.distributedlock.LockTemplate;
import io.distributedlock.aop.ScheduledRun;
import io.distributedlock.it.postgres.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the code of the guide for ShedLock: an instance with both locks excludes old and
 * new ones, and these two do not exclude each other.
 */
class ShedLockMoveIntegrationTests {

	private static final String[] PROPERTIES = { "lock.backend=jdbc", "lock.jdbc.initialize-schema=always",
			"spring.datasource.url=jdbc:postgresql://127.0.0.1:" + PostgresServer.port() + "/postgres?user=postgres" };

	private final Instant tick = Instant.now();

	private static Instance old;

	private static Instance both;

	private static Instance latest;

	@BeforeAll
	static void start() {
		old = Instance.start(OldVersion.class, PROPERTIES);
		both = Instance.start(BothVersion.class, PROPERTIES);
		latest = Instance.start(NewVersion.class, PROPERTIES);
	}

	@AfterAll
	static void close() {
		latest.close();
		both.close();
		old.close();
	}

	@BeforeEach
	void beginAgain() {
		JdbcTemplate jdbc = old.bean(JdbcTemplate.class);
		jdbc.execute("create table if not exists shedlock (name varchar(64) primary key, lock_until timestamp not null,"
				+ " locked_at timestamp not null, locked_by varchar(255) not null)");
		jdbc.update("update shedlock set lock_until = locked_at - interval '1 day'");
		for (Instance instance : List.of(old, both, latest)) {
			instance.bean(Reports.class).reset();
		}
	}

	@Test
	void anInstanceWithBothLocksRunsIfNoOtherDoes() {
		runAt(this.tick, both.bean(BothJob.class)::report);

		assertThat(printed(both)).isOne();
	}

	@Test
	void anOldInstanceKeepsOneWithBothLocksOut() {
		during(old, () -> runAt(this.tick, both.bean(BothJob.class)::report));

		runAt(this.tick, old.bean(OldJob.class)::report);

		assertThat(printed(old)).isOne();
		assertThat(printed(both)).isZero();
	}

	@Test
	void anInstanceWithBothLocksKeepsAnOldOneOut() {
		during(both, () -> runAt(this.tick, old.bean(OldJob.class)::report));

		runAt(this.tick, both.bean(BothJob.class)::report);

		assertThat(printed(both)).isOne();
		assertThat(printed(old)).isZero();
	}

	@Test
	void aNewInstanceKeepsOneWithBothLocksOut() {
		during(latest, () -> runAt(this.tick, both.bean(BothJob.class)::report));

		runAt(this.tick, latest.bean(NewJob.class)::report);

		assertThat(printed(latest)).isOne();
		assertThat(printed(both)).isZero();
	}

	@Test
	void aTickThatRanWithBothLocksDoesNotRunInANewInstanceLater() {
		runAt(this.tick, both.bean(BothJob.class)::report);

		runAt(this.tick, latest.bean(NewJob.class)::report);

		assertThat(printed(both)).isOne();
		assertThat(printed(latest)).isZero();
	}

	@Test
	void oldAndNewInstancesDoNotExcludeEachOther() {
		during(old, () -> runAt(this.tick, latest.bean(NewJob.class)::report));

		runAt(this.tick, old.bean(OldJob.class)::report);

		assertThat(printed(old)).isOne();
		assertThat(printed(latest)).isOne();
	}

	@Test
	void codeWithBothLocksExcludesOldAndNewCode() throws Throwable {
		AtomicBoolean besides = new AtomicBoolean();
		Code quiet = code((orderId) -> {
		});

		assertThat(code((orderId) -> besideOf(besides, quiet::both)).before()).isTrue();
		assertThat(code((orderId) -> besideOf(besides, quiet::both)).after()).isTrue();
		assertThat(code((orderId) -> besideOf(besides, quiet::before)).both()).isTrue();
		assertThat(code((orderId) -> besideOf(besides, quiet::after)).both()).isTrue();
		assertThat(besides).isFalse();
		assertThat(quiet.both()).isTrue();
	}

	private static Code code(Orders orders) {
		return new Code(new DefaultLockingTaskExecutor(old.bean(LockProvider.class)), latest.bean(LockTemplate.class),
				orders);
	}

	private static void besideOf(AtomicBoolean ran, Attempt attempt) {
		Instance.elsewhere(() -> {
			try {
				if (attempt.run()) {
					ran.set(true);
				}
			}
			catch (Throwable ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	private static void runAt(Instant tick, Runnable method) {
		ScheduledRun.atTick(tick).call(method);
	}

	private static void during(Instance instance, Runnable call) {
		instance.bean(Reports.class).whilePrinting(() -> Instance.elsewhere(call));
	}

	private static int printed(Instance instance) {
		return instance.bean(Reports.class).printed();
	}

	@FunctionalInterface
	private interface Attempt {

		boolean run() throws Throwable;

	}

	private record Code(LockingTaskExecutor executor, LockTemplate template, Orders orders) {

		boolean before() throws Throwable {
			// tag::shedlock-code-before[]
			LockConfiguration configuration = new LockConfiguration(Instant.now(), "order-42", Duration.ofMinutes(10),
					Duration.ZERO);
			boolean ran = this.executor.executeWithLock(() -> {
				this.orders.ship(42);
				return true;
			}, configuration).wasExecuted();
			// end::shedlock-code-before[]
			return ran;
		}

		boolean both() throws Throwable {
			LockConfiguration configuration = new LockConfiguration(Instant.now(), "order-42", Duration.ofMinutes(10),
					Duration.ZERO);
			// tag::shedlock-code-both[]
			TaskWithResult<Boolean> task = () -> this.template.tryExecuteWithoutResult("order-42",
					(lease) -> this.orders.ship(42));
			boolean ran = Boolean.TRUE.equals(this.executor.executeWithLock(task, configuration).getResult());
			// end::shedlock-code-both[]
			return ran;
		}

		boolean after() {
			// tag::shedlock-code-after[]
			boolean ran = this.template.tryExecuteWithoutResult("order-42", (lease) -> this.orders.ship(42));
			// end::shedlock-code-after[]
			return ran;
		}

	}

	public static class OldJob {

		private final Reports reports;

		OldJob(Reports reports) {
			this.reports = reports;
		}

		// tag::shedlock-before[]
		@Scheduled(cron = "0 0 2 * * *")
		@SchedulerLock(name = "nightly-report", lockAtMostFor = "2h", lockAtLeastFor = "5m")
		public void report() {
			LockAssert.assertLocked();
			this.reports.print();
		}
		// end::shedlock-before[]

	}

	public static class BothJob {

		private final Reports reports;

		BothJob(Reports reports) {
			this.reports = reports;
		}

		// tag::shedlock-both[]
		@Scheduled(cron = "0 0 2 * * *")
		@SchedulerLock(name = "nightly-report", lockAtMostFor = "2h", lockAtLeastFor = "5m")
		@DistributedLock(name = "nightly-report")
		public void report() {
			this.reports.print();
		}
		// end::shedlock-both[]

	}

	public static class NewJob {

		private final Reports reports;

		NewJob(Reports reports) {
			this.reports = reports;
		}

		// tag::shedlock-after[]
		@Scheduled(cron = "0 0 2 * * *")
		@DistributedLock(name = "nightly-report")
		public void report() {
			LockContext.assertHeld();
			this.reports.print();
		}
		// end::shedlock-after[]

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Version {

		@Bean
		Reports reports() {
			return new Reports();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class ShedLockVersion extends Version {

		@Bean
		LockProvider lockProvider(DataSource dataSource) {
			return new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
				.withJdbcTemplate(new JdbcTemplate(dataSource))
				.usingDbTime()
				.build());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OldVersion extends ShedLockVersion {

		@Bean
		OldJob job(Reports reports) {
			return new OldJob(reports);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BothVersion extends ShedLockVersion {

		@Bean
		BothJob job(Reports reports) {
			return new BothJob(reports);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NewVersion extends Version {

		@Bean
		NewJob job(Reports reports) {
			return new NewJob(reports);
		}

	}

}
