package io.distributedlock.recipes;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.TaskExecutionOutcome;

import io.distributedlock.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The recipe for one run of a schedule per cluster.
 */
class NightlyReportRecipeTests {

	private static final LocalDateTime TWO = LocalDateTime.of(2026, 3, 2, 2, 0);

	private final Reports reports = new Reports();

	private final RecipeInstances instances = new RecipeInstances(this.reports);

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void eachNightOneInstancePrintsTheReport() {
		passTwo(TWO);
		passTwo(TWO);
		passTwo(TWO);

		assertThat(this.reports.printed).hasValue(1);

		passTwo(TWO.plusDays(1));
		passTwo(TWO.plusDays(1));

		assertThat(this.reports.printed).hasValue(2);
	}

	/**
	 * Start an instance shortly before two o'clock, and wait until it has come to that
	 * tick.
	 */
	private void passTwo(LocalDateTime two) {
		Instant before = two.minusNanos(200_000_000).atZone(ZoneId.systemDefault()).toInstant();
		ConfigurableApplicationContext instance = this.instances.start(Application.class, "clock.shows=" + before);
		await().until(() -> instance.getBean(ScheduledTaskHolder.class)
			.getScheduledTasks()
			.stream()
			.map((task) -> task.getTask().getLastExecutionOutcome().status())
			.anyMatch((status) -> status == TaskExecutionOutcome.Status.SUCCESS));
	}

	public static class NightlyReport {

		private final Reports reports;

		NightlyReport(Reports reports) {
			this.reports = reports;
		}

		// tag::nightly-report[]
		@Scheduled(cron = "0 0 2 * * *")
		@DistributedLock(name = "nightly-report")
		public void report() {
			this.reports.print();
		}
		// end::nightly-report[]

	}

	/**
	 * The printer that all instances share.
	 */
	static class Reports {

		private final AtomicInteger printed = new AtomicInteger();

		void print() {
			this.printed.incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@Import(NightlyReport.class)
	static class Application {

		/**
		 * The clock stands still, so the next run after the first is a day away.
		 */
		@Bean
		ThreadPoolTaskSchedulerCustomizer clock(@Value("${clock.shows}") Instant now) {
			return (scheduler) -> scheduler.setClock(Clock.fixed(now, ZoneId.systemDefault()));
		}

	}

}
