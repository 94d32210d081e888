package io.distributedlock.scheduling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.spi.LockListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One run per tick, on any store: by instances whose clocks are apart, with a body that
 * is over long before the second of them comes to the same tick.
 */
public abstract class ScheduledTickContract extends ScheduledShutdownContract {

	/**
	 * By how much the clock of the second instance is behind.
	 */
	private static final Duration BEHIND = Duration.ofSeconds(3);

	// Guarded by its monitor: how often each tick was granted, over all instances.
	private final SortedMap<Instant, Integer> grants = new TreeMap<>();

	private final AtomicInteger bodies = new AtomicInteger();

	private final Queue<TickMissedEvent> missed = new ConcurrentLinkedQueue<>();

	// Set by the test, read by the schedulers.
	private volatile Duration offset = Duration.ZERO;

	// Two seconds before the clocks of Berlin are put forward, and before they are put
	// back.
	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT) // it waits more than it works
	@ValueSource(strings = { "2026-03-29T00:59:58Z", "2026-10-25T00:59:58Z" })
	void eachTickRunsOnceWhateverTheClocksAndOverAChangeOfTheTime(Instant start) {
		// What the clocks show until all are up does not matter.
		setClocks(start.minus(Duration.ofDays(1)));
		ConfigurableApplicationContext first = start(Duration.ZERO);
		ConfigurableApplicationContext behind = start(BEHIND);
		setClocks(start);
		awaitTick(start.plusSeconds(2));
		ConfigurableApplicationContext late = start(Duration.ZERO);
		awaitTick(lastTick().plusSeconds(2));

		first.close();
		late.close();
		awaitTick(lastTick().plusSeconds(2));
		behind.close();

		synchronized (this.grants) {
			assertThat(this.grants.values()).allMatch((count) -> count == 1);
			assertThat(this.bodies).hasValue(this.grants.size());
			for (Instant tick = start.plusSeconds(1); tick.isBefore(lastTick()); tick = tick.plusSeconds(1)) {
				assertThat(this.grants).containsKey(tick);
			}
		}
	}

	@Test
	void tickThatFindsTheLockTakenIsMissedAndReportedAndLaterOnesRun(CapturedOutput output) {
		start(Duration.ZERO);
		LockTemplate elsewhere = start(Other.class, (context) -> {
		}).getBean(LockTemplate.class);
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> this.bodies.get() > 0);

		TickMissedEvent missed = elsewhere.execute("each-second", (lease) -> {
			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !this.missed.isEmpty());
			return this.missed.remove();
		});

		awaitTick(missed.tick().plusSeconds(1));
		assertThat(missed.key()).isEqualTo("each-second");
		assertThat(output).contains("The tick " + missed.tick() + " of 'each-second' was missed here");
	}

	private void setClocks(Instant now) {
		this.offset = Duration.between(Clock.systemUTC().instant(), now);
	}

	private Instant lastTick() {
		synchronized (this.grants) {
			return this.grants.lastKey();
		}
	}

	private void awaitTick(Instant tick) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
			synchronized (this.grants) {
				return !this.grants.isEmpty() && !this.grants.lastKey().isBefore(tick);
			}
		});
	}

	/**
	 * Start an instance.
	 * @param behind by how much its clock is behind
	 */
	private ConfigurableApplicationContext start(Duration behind) {
		return start(EachSecond.class, (context) -> {
			context.getBeanFactory().registerSingleton("grants", new Grants());
			context.getBeanFactory().registerSingleton("bodies", this.bodies);
			context.getBeanFactory().registerSingleton("missed", this.missed);
			context.getBeanFactory().registerSingleton("clock", new InstanceClock(behind));
		}, "job.name=each-second");
	}

	/**
	 * The clock of one instance.
	 */
	private final class InstanceClock extends Clock {

		private final Duration behind;

		InstanceClock(Duration behind) {
			this.behind = behind;
		}

		@Override
		public Instant instant() {
			return Clock.systemUTC().instant().plus(ScheduledTickContract.this.offset).minus(this.behind);
		}

		@Override
		public ZoneId getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			throw new UnsupportedOperationException("Only instants are asked for");
		}

	}

	/**
	 * Collects what is granted to one instance.
	 */
	private final class Grants implements LockListener {

		@Override
		public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
			synchronized (ScheduledTickContract.this.grants) {
				ScheduledTickContract.this.grants.merge(request.getTick(), 1, Integer::sum);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	static class EachSecond {

		@Bean
		ThreadPoolTaskScheduler taskScheduler(Clock clock) {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setClock(clock);
			return scheduler;
		}

		@Bean
		Job job(AtomicInteger bodies) {
			return new Job(bodies);
		}

		@Bean
		ApplicationListener<PayloadApplicationEvent<TickMissedEvent>> missedTicks(Queue<TickMissedEvent> missed) {
			return ApplicationListener.forPayload(missed::add);
		}

	}

	/**
	 * Two schedules that have each instant in common.
	 */
	static class Job {

		private final AtomicInteger bodies;

		Job(AtomicInteger bodies) {
			this.bodies = bodies;
		}

		@Scheduled(cron = "${each-second:* * * * * *}", zone = "Europe/Berlin")
		@Scheduled(cron = "* * * * * *", zone = "America/New_York")
		@DistributedLock(name = "${job.name}")
		void run() {
			this.bodies.incrementAndGet();
		}

	}

}
