package io.distributedlock.scheduling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.TickDoneException;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.spi.LockListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The time of some instances, and the outcome of the ticks of their job.
 */
final class Timeline implements LockListener {

	private final Instant start;

	// Guarded by its monitor: how often each tick was granted, over all instances.
	private final SortedMap<Instant, Integer> grants = new TreeMap<>();

	// How often the body ran for each tick.
	private final Map<Instant, Integer> runs = new ConcurrentHashMap<>();

	// The ticks that instances had begun when they were closed, and whose bodies did not
	// run.
	private final Set<Instant> cutOff = ConcurrentHashMap.newKeySet();

	private final ThreadLocal<Instant> current = new ThreadLocal<>();

	private final NavigableSet<Instant> due = new ConcurrentSkipListSet<>();

	private final Queue<Refusal> refusals = new ConcurrentLinkedQueue<>();

	private final Queue<TickMissedEvent> missed = new ConcurrentLinkedQueue<>();

	// Set by the test, read by the schedulers.
	private volatile Duration offset;

	/**
	 * Create a timeline. Before it begins, its clocks show the time of the day before.
	 */
	Timeline(Instant start) {
		this.start = start;
		this.offset = offset(start.minus(Duration.ofDays(1)));
	}

	private static Duration offset(Instant now) {
		return Duration.between(Clock.systemUTC().instant(), now);
	}

	Instant start() {
		return this.start;
	}

	void begin() {
		this.offset = offset(this.start);
	}

	String job() {
		return "job-" + this.start.getEpochSecond();
	}

	Clock clock(Duration behind) {
		return new InstanceClock(behind);
	}

	/**
	 * Return a scheduler of an instance, which records the ticks that it runs. A late
	 * scheduler skips past ticks.
	 */
	ThreadPoolTaskScheduler scheduler(Clock clock) {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler() {

			@Override
			public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
				AtomicReference<Instant> next = new AtomicReference<>();
				return super.schedule(() -> {
					Timeline.this.due.add(next.get());
					Timeline.this.run(next.get(), task);
				}, (context) -> {
					next.set(trigger.nextExecution(context));
					return next.get();
				});
			}

		};
		scheduler.setClock(clock);
		return scheduler;
	}

	private void run(Instant tick, Runnable task) {
		this.current.set(tick);
		try {
			task.run();
		}
		finally {
			this.current.remove();
			if (Thread.currentThread().isInterrupted()) {
				this.cutOff.add(tick);
			}
		}
	}

	void countBody() {
		this.runs.merge(this.current.get(), 1, Integer::sum);
	}

	Queue<TickMissedEvent> missed() {
		return this.missed;
	}

	@Override
	public void acquired(String backend, LockRequest request, Lease lease, Duration waited) {
		synchronized (this.grants) {
			this.grants.merge(request.getTick(), 1, Integer::sum);
		}
	}

	@Override
	public void unavailable(String backend, LockRequest request, Throwable cause, Duration waited) {
		this.refusals.add(new Refusal(request.getTick(), cause));
	}

	Instant lastTick() {
		synchronized (this.grants) {
			return this.grants.lastKey();
		}
	}

	void awaitTick(Instant tick) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
			synchronized (this.grants) {
				return !this.grants.isEmpty() && !this.grants.lastKey().isBefore(tick);
			}
		});
	}

	/**
	 * Fail unless each tick that an instance reached ran once, up to the last one that
	 * ran. On a busy machine all instances may be late for a tick, or the store may not
	 * answer in time. In that case they have reported it.
	 */
	void assertThatEachTickRanOnce() {
		synchronized (this.grants) {
			assertThat(this.grants.values()).allMatch((count) -> count == 1);
			assertThat(this.runs.values()).allMatch((count) -> count == 1);
			assertThat(this.grants.keySet()).containsAll(this.runs.keySet());
			Set<Instant> granted = new TreeSet<>(this.grants.keySet());
			granted.removeAll(this.runs.keySet());
			assertThat(this.cutOff).as("granted and not run: %s", granted).containsAll(granted);
			assertThat(this.due).containsAll(this.grants.keySet());
			assertThat(this.refusals).allMatch(this::isTrue);
			Set<Instant> notRun = new TreeSet<>(this.due.headSet(this.grants.lastKey()));
			notRun.removeAll(this.grants.keySet());
			assertThat(notRun).as("ticks that did not run, of %s", this.due).allMatch(this::isAccountedFor);
		}
	}

	/**
	 * Return whether a tick that was reported as done, or a later one, is done. It is
	 * also done if the grant came after its caller had stopped waiting for the answer.
	 */
	private boolean isTrue(Refusal refusal) {
		if (!(refusal.cause() instanceof TickDoneException done)) {
			return true;
		}
		return !done.tick().isBefore(refusal.tick())
				&& (this.grants.containsKey(done.tick()) || isGivenUp(done.tick()));
	}

	private boolean isGivenUp(Instant tick) {
		return this.missed.stream().anyMatch((event) -> event.tick().equals(tick)) || this.refusals.stream()
			.anyMatch((refusal) -> refusal.tick().equals(tick) && !(refusal.cause() instanceof TickDoneException));
	}

	private boolean isAccountedFor(Instant tick) {
		return this.missed.stream().anyMatch((event) -> event.tick().equals(tick))
				|| this.refusals.stream().anyMatch((refusal) -> refusal.tick().equals(tick));
	}

	private record Refusal(Instant tick, Throwable cause) {
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
			return Clock.systemUTC().instant().plus(Timeline.this.offset).minus(this.behind);
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

}
