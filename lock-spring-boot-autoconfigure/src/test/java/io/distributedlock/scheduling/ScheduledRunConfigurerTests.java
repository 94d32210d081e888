package io.distributedlock.scheduling;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.PeriodicTrigger;

import io.distributedlock.DistributedLock;
import io.distributedlock.LockBusyException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnBusy;
import io.distributedlock.TickDoneException;
import io.distributedlock.aop.DistributedLockAopConfiguration;
import io.distributedlock.aop.RecordingScopes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ScheduledRunConfigurer}, with the schedulers of Spring.
 */
@ExtendWith(OutputCaptureExtension.class)
class ScheduledRunConfigurerTests {

	private static ApplicationContextRunner runner(Class<?> job) {
		return new ApplicationContextRunner()
			.withUserConfiguration(Enabled.class, DistributedLockAopConfiguration.class)
			.withConfiguration(AutoConfigurations.of(AfterAllOthers.class))
			.withBean(RecordingScopes.class)
			.withBean("job", job);
	}

	/**
	 * Return a runner in which the lock is free from the first run on.
	 */
	private static ApplicationContextRunner freeRunner(Class<?> job) {
		return runner(job).withPropertyValues("busy=false");
	}

	private static ThreadPoolTaskScheduler named(String prefix) {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setThreadNamePrefix(prefix);
		return scheduler;
	}

	private static void awaitRequests(RecordingScopes scopes, int count) {
		await().until(() -> scopes.requests.size() >= count);
	}

	@Test
	void aBusyLockSkipsTheRunWithoutWaiting(CapturedOutput output) {
		runner(Job.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			awaitRequests(scopes, 3);

			assertThat(scopes.log).allMatch("try job"::equals);
			assertThat(scopes.requests).allMatch((request) -> isZero(request.getWaitTime()));
			assertThat(context.getBean(Job.class).bodies()).hasValue(0);
		});

		assertThat(output).doesNotContain("Unexpected error occurred in scheduled task");
	}

	private static boolean isZero(@Nullable Duration waitTime) {
		return waitTime != null && waitTime.isZero();
	}

	@Test
	void theFreedLockLetsTheNextRunIn() {
		runner(Job.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			awaitRequests(scopes, 1);
			scopes.free();

			await().until(() -> context.getBean(Job.class).bodies().get() > 0);
		});
	}

	@Test
	void aDirectCallIsAnOrdinaryCall() {
		runner(Job.class).run((context) -> assertThatExceptionOfType(LockBusyException.class)
			.isThrownBy(() -> context.getBean(Job.class).run()));
	}

	@Test
	void aMethodThatTheScheduledOneCallsIsCalledByTheApplication() {
		freeRunner(Outer.class).withBean(Inner.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			await().until(() -> scopes.log.contains("close outer"));

			assertThat(scopes.requests.get(0).getWaitTime()).isZero();
			assertThat(scopes.requests.get(1).getWaitTime()).isNull();
			assertThat(scopes.log).containsExactly("try outer", "cooldown PT54M outer", "open inner", "close inner",
					"close outer");
		});
	}

	@Test
	void theSecondLockedMethodOfATaskIsCalledByTheApplication() {
		freeRunner(Twice.class).withBean(Inner.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			await().until(() -> scopes.requests.size() >= 2);

			assertThat(scopes.requests.get(0).getWaitTime()).isZero();
			assertThat(scopes.requests.get(1).getWaitTime()).isNull();
		});
	}

	@Test
	void throwAndFallbackMakeOneAttemptToo() {
		runner(Throwing.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			awaitRequests(scopes, 2);

			assertThat(scopes.log).allMatch("open throwing"::equals);
			assertThat(scopes.requests).allMatch((request) -> isZero(request.getWaitTime()));
		});
		runner(FallingBack.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			await().until(() -> context.getBean(FallingBack.class).fallbacks().get() >= 2);

			assertThat(scopes.log).allMatch("open falling"::equals);
			assertThat(scopes.requests).allMatch((request) -> isZero(request.getWaitTime()));
		});
	}

	@Test
	void aWaitTimeIsHonoured() {
		runner(Waiting.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			awaitRequests(scopes, 1);

			assertThat(scopes.requests.get(0).getWaitTime()).hasSeconds(3);
			assertThat(scopes.log).first().isEqualTo("try waiting");
		});
	}

	@Test
	void aFaultOfTheStoreDoesNotEndTheSchedule(CapturedOutput output) {
		runner(Job.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			scopes.failWith(new LockUnavailableException("the store is down"));
			int before = scopes.requests.size();
			awaitRequests(scopes, before + 3);
			assertThat(context.getBean(Job.class).bodies()).hasValue(0);
			scopes.free();

			await().until(() -> context.getBean(Job.class).bodies().get() > 0);
		});

		assertThat(output).contains("Unexpected error occurred in scheduled task").contains("the store is down");
	}

	@Test
	void runsThatComeWhenTheApplicationStopsAreLeftOut(CapturedOutput output) {
		runner(Job.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			scopes.stop();
			int before = scopes.requests.size();
			awaitRequests(scopes, before + 3);

			assertThat(context.getBean(Job.class).bodies()).hasValue(0);
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(Job.class).run());
		});

		assertThat(output).doesNotContain("Unexpected error occurred in scheduled task");
	}

	@Test
	void aFaultDoesNotEndTheScheduleOfOtherSchedulersEither() {
		for (Class<?> scheduler : new Class<?>[] { VirtualLike.class, Pooled.class, Executor.class }) {
			runner(Job.class).withUserConfiguration(scheduler).run((context) -> {
				RecordingScopes scopes = context.getBean(RecordingScopes.class);
				scopes.failWith(new LockUnavailableException("the store is down"));
				int before = scopes.requests.size();
				awaitRequests(scopes, before + 3);
				scopes.free();

				await().until(() -> context.getBean(Job.class).bodies().get() > 0);
				assertThat(scopes.log).noneMatch((entry) -> entry.startsWith("open"));
			});
		}
	}

	@Test
	void aQualifierStillChoosesTheScheduler() {
		runner(Qualified.class).withUserConfiguration(TwoSchedulers.class).run((context) -> {
			Qualified job = context.getBean(Qualified.class);
			assertThat(job.ran.await(10, TimeUnit.SECONDS)).isTrue();

			assertThat(job.onFirst.get()).startsWith("first-");
			assertThat(job.onSecond.get()).startsWith("second-");
			assertThat(context.getBean(RecordingScopes.class).log).noneMatch((entry) -> entry.startsWith("open"));
		});
	}

	@Test
	void seesTheSchedulerThatAnotherConfigurerChooses() {
		runner(Job.class).withUserConfiguration(Chooses.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			scopes.free();
			await().until(() -> context.getBean(Job.class).bodies().get() > 0);

			assertThat(context.getBean(Job.class).thread()).startsWith("chosen-");
			assertThat(scopes.log).noneMatch((entry) -> entry.startsWith("open"));
		});
	}

	@Test
	void cronFixedRateAndOneTimeTasksAreTheSchedulersToo() {
		runner(AllKinds.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			await().until(() -> scopes.keys().containsAll(List.of("cron", "rate", "once")));

			assertThat(scopes.requests).allMatch((request) -> request.getWaitTime() != null);
		});
	}

	@Test
	void eachKindOfScheduleKeepsOthersAwayByItsOwnMeans() {
		freeRunner(AllKinds.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			await().until(() -> scopes.keys().containsAll(List.of("cron", "rate", "delay", "once")));

			LockRequest cron = scopes.firstRequest("cron");
			assertThat(cron.getTick())
				.isEqualTo(Objects.requireNonNull(cron.getTick()).truncatedTo(ChronoUnit.SECONDS));
			assertThat(cron.getMinHold()).isNull();
			LockRequest rate = scopes.firstRequest("rate");
			assertThat(rate.getTick()).isNull();
			assertThat(rate.getMinHold()).hasMillis(45);
			LockRequest delay = scopes.firstRequest("delay");
			assertThat(delay.getTick()).isNull();
			assertThat(delay.getMinHold()).isNull();
			// The cooldown is set after the request.
			await().until(() -> scopes.log.contains("cooldown PT0.18S delay"));
			LockRequest once = scopes.firstRequest("once");
			assertThat(once.getTick()).isNull();
			assertThat(once.getMinHold()).isNull();
			assertThat(scopes.log).noneMatch((entry) -> entry.startsWith("cooldown") && !entry.endsWith(" delay"));
		});
	}

	@Test
	void attributesTakeThePlaceOfTheScheduleSTimes() {
		freeRunner(WithMinHold.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			await().until(() -> scopes.keys().containsAll(List.of("cron", "rate", "delay", "bounded")));

			assertThat(scopes.firstRequest("cron").getTick()).isNotNull();
			assertThat(scopes.firstRequest("cron").getMinHold()).hasSeconds(7);
			assertThat(scopes.firstRequest("rate").getMinHold()).hasSeconds(7);
			assertThat(scopes.firstRequest("delay").getMinHold()).hasSeconds(7);
			assertThat(scopes.firstRequest("bounded").getMinHold()).hasSeconds(60);
			assertThat(scopes.log).noneMatch((entry) -> entry.startsWith("cooldown"));
		});
	}

	@Test
	void aTickThatHasRunIsNoErrorWhateverBusyMeans(CapturedOutput output) {
		freeRunner(EachSecond.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			scopes.failWith(new TickDoneException("each", Instant.EPOCH));

			await().until(() -> scopes.requests.stream().filter((request) -> request.getTick() != null).count() >= 2);
		});

		assertThat(output).doesNotContain("Unexpected error occurred in scheduled task");
	}

	@Test
	void periodicTriggersCountAsFixedRateAndFixedDelay() {
		freeRunner(Inner.class).withUserConfiguration(PeriodicTriggers.class).run((context) -> {
			RecordingScopes scopes = context.getBean(RecordingScopes.class);
			await().until(() -> scopes.log.contains("cooldown PT1.8S inner")
					&& scopes.requests.stream().anyMatch((one) -> Duration.ofMillis(900).equals(one.getMinHold())));

			assertThat(scopes.requests).allSatisfy((request) -> assertThat(request.getTick()).isNull());
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Enabled {

		@Bean
		static BeanPostProcessor busyFromTheStart(Environment environment) {
			boolean busy = environment.getProperty("busy", Boolean.class, true);
			return new BeanPostProcessor() {

				@Override
				public Object postProcessBeforeInitialization(Object bean, String beanName) {
					if (busy && bean instanceof RecordingScopes scopes) {
						scopes.busy();
					}
					return bean;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AfterAllOthers {

		@Bean
		ScheduledRunConfigurer scheduledRunConfigurer() {
			return new ScheduledRunConfigurer();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class VirtualLike {

		@Bean
		SimpleAsyncTaskScheduler taskScheduler() {
			return new SimpleAsyncTaskScheduler();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Pooled {

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Executor {

		@Bean(destroyMethod = "shutdownNow")
		ScheduledExecutorService executor() {
			return Executors.newSingleThreadScheduledExecutor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoSchedulers {

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			return named("first-");
		}

		@Bean
		ThreadPoolTaskScheduler second() {
			return named("second-");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Chooses implements SchedulingConfigurer {

		private final ThreadPoolTaskScheduler scheduler = named("chosen-");

		@Override
		public void configureTasks(ScheduledTaskRegistrar registrar) {
			registrar.setTaskScheduler(this.scheduler);
		}

		@Bean
		ThreadPoolTaskScheduler chosen() {
			return this.scheduler;
		}

	}

	public static class Job {

		private final AtomicInteger bodies = new AtomicInteger();

		private final AtomicReference<@Nullable String> thread = new AtomicReference<>();

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = "job")
		public void run() {
			this.thread.set(Thread.currentThread().getName());
			this.bodies.incrementAndGet();
		}

		AtomicInteger bodies() {
			return this.bodies;
		}

		@Nullable String thread() {
			return this.thread.get();
		}

	}

	public static class Inner {

		@Scheduled(cron = "-")
		@DistributedLock(name = "inner")
		public void run() {
		}

	}

	public static class Outer {

		private final Inner inner;

		Outer(Inner inner) {
			this.inner = inner;
		}

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS, initialDelay = 0)
		@DistributedLock(name = "outer")
		public void run() {
			this.inner.run();
		}

	}

	public static class Twice {

		private final Inner inner;

		Twice(Inner inner) {
			this.inner = inner;
		}

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		public void run() {
			this.inner.run();
			this.inner.run();
		}

	}

	public static class Throwing {

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = "throwing", onBusy = OnBusy.THROW)
		public void run() {
		}

	}

	public static class FallingBack {

		private final AtomicInteger fallbacks = new AtomicInteger();

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = "falling", fallback = "fallback")
		public void run() {
		}

		private void fallback() {
			this.fallbacks.incrementAndGet();
		}

		AtomicInteger fallbacks() {
			return this.fallbacks;
		}

	}

	public static class Waiting {

		@Scheduled(fixedDelay = 5)
		@DistributedLock(name = "waiting", waitTime = "3s")
		public void run() {
		}

	}

	public static class Qualified {

		final CountDownLatch ran = new CountDownLatch(2);

		final AtomicReference<String> onFirst = new AtomicReference<>();

		final AtomicReference<String> onSecond = new AtomicReference<>();

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS)
		public void first() {
			this.onFirst.set(Thread.currentThread().getName());
			this.ran.countDown();
		}

		@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.HOURS, scheduler = "second")
		public void second() {
			this.onSecond.set(Thread.currentThread().getName());
			this.ran.countDown();
		}

	}

	public static class AllKinds {

		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "cron")
		public void cron() {
		}

		@Scheduled(fixedRate = 50)
		@DistributedLock(name = "rate")
		public void rate() {
		}

		@Scheduled(fixedDelay = 200)
		@DistributedLock(name = "delay")
		public void delay() {
		}

		@Scheduled(initialDelay = 1)
		@DistributedLock(name = "once")
		public void once() {
		}

	}

	public static class WithMinHold {

		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "cron", minHold = "7s")
		public void cron() {
		}

		@Scheduled(fixedRate = 50)
		@DistributedLock(name = "rate", minHold = "7s")
		public void rate() {
		}

		@Scheduled(fixedDelay = 50)
		@DistributedLock(name = "delay", minHold = "7s")
		public void delay() {
		}

		@Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
		@DistributedLock(name = "bounded", maxHold = "60s")
		public void bounded() {
		}

	}

	public static class EachSecond {

		@Scheduled(cron = "* * * * * *")
		@DistributedLock(name = "each", onBusy = OnBusy.THROW)
		public int run() {
			return 1;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PeriodicTriggers implements SchedulingConfigurer {

		private final ObjectProvider<Inner> job;

		PeriodicTriggers(ObjectProvider<Inner> job) {
			this.job = job;
		}

		@Override
		public void configureTasks(ScheduledTaskRegistrar registrar) {
			PeriodicTrigger rate = new PeriodicTrigger(Duration.ofSeconds(1));
			rate.setFixedRate(true);
			registrar.addTriggerTask(() -> this.job.getObject().run(), rate);
			registrar.addTriggerTask(() -> this.job.getObject().run(), new PeriodicTrigger(Duration.ofSeconds(2)));
		}

	}

}
