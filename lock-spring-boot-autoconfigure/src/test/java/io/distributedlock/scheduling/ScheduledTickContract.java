package io.distributedlock.scheduling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockTemplate;
import io.distributedlock.TickMissedEvent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract for one run per tick, on any store. The clocks of the instances differ, and
 * the body ends long before the second instance comes to the same tick.
 */
public abstract class ScheduledTickContract extends ScheduledShutdownContract {

	/**
	 * How far the clock of the second instance is behind.
	 */
	private static final Duration BEHIND = Duration.ofSeconds(3);

	@Test
	void eachTickRunsOnceWhateverTheClocksAndOverBothChangesOfTheTime() {
		// Two seconds before the clocks of Berlin are put forward, and before they are
		// put back. Both changes run at the same time, because they take time.
		List<Timeline> all = List.of(new Timeline(Instant.parse("2026-03-29T00:59:58Z")),
				new Timeline(Instant.parse("2026-10-25T00:59:58Z")));
		List<ConfigurableApplicationContext> first = all.stream().map((time) -> start(time, Duration.ZERO)).toList();
		all.forEach((time) -> start(time, BEHIND));
		all.forEach(Timeline::begin);
		all.forEach((time) -> time.awaitTick(time.start().plusSeconds(2)));
		List<ConfigurableApplicationContext> late = all.stream().map((time) -> start(time, Duration.ZERO)).toList();
		all.forEach((time) -> time.awaitTick(time.lastTick().plusSeconds(1)));

		first.forEach(ConfigurableApplicationContext::close);
		late.forEach(ConfigurableApplicationContext::close);
		all.forEach((time) -> time.awaitTick(time.lastTick().plusSeconds(1)));
		close();

		// Instances report missed ticks on threads of their own.
		Awaitility.await().untilAsserted(() -> assertThat(all).allSatisfy(Timeline::assertThatEachTickRanOnce));
	}

	@Test
	void tickThatFindsTheLockTakenIsMissedAndReportedAndLaterOnesRun(CapturedOutput output) {
		Timeline time = new Timeline(Instant.parse("2026-06-01T00:00:00Z"));
		start(time, Duration.ZERO);
		time.begin();
		LockTemplate elsewhere = start(Other.class, (context) -> {
		}).getBean(LockTemplate.class);
		time.awaitTick(time.start());

		TickMissedEvent missed = elsewhere.execute(time.job(), (lease) -> {
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !time.missed().isEmpty());
			return time.missed().remove();
		});

		time.awaitTick(missed.tick().plusSeconds(1));
		assertThat(missed.key()).isEqualTo(time.job());
		assertThat(output).contains("The tick " + missed.tick() + " of '" + time.job() + "' was missed here");
	}

	/**
	 * Start an instance with the clock of a timeline.
	 * @param behind how far its clock is behind
	 */
	private ConfigurableApplicationContext start(Timeline time, Duration behind) {
		return start(EachSecond.class, (context) -> {
			context.getBeanFactory().registerSingleton("time", time);
			context.getBeanFactory().registerSingleton("clock", time.clock(behind));
		}, "job.name=" + time.job());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class EachSecond {

		@Bean
		ThreadPoolTaskScheduler taskScheduler(Timeline time, Clock clock) {
			ThreadPoolTaskScheduler scheduler = time.scheduler(clock);
			scheduler.setPoolSize(4);
			return scheduler;
		}

		@Bean
		Job job(Timeline time) {
			return new Job(time);
		}

		@Bean
		Job sameJobAgain(Timeline time) {
			return new Job(time);
		}

		@Bean
		ApplicationListener<PayloadApplicationEvent<TickMissedEvent>> missedTicks(Timeline time) {
			return ApplicationListener.forPayload(time.missed()::add);
		}

	}

	/**
	 * Has two schedules with the same instants, and exists as two beans. So four threads
	 * of an instance reach a tick at once.
	 */
	static class Job {

		private final Timeline time;

		Job(Timeline time) {
			this.time = time;
		}

		@Scheduled(cron = "${each-second:* * * * * *}", zone = "Europe/Berlin")
		@Scheduled(cron = "* * * * * *", zone = "America/New_York")
		@DistributedLock(name = "${job.name}")
		void run() {
			this.time.countBody();
		}

	}

}
