package io.distributedlock.scheduling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.TickMissedEvent;
import io.distributedlock.spi.LockListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The time in which some instances live, and what becomes of the ticks of their job.
 */
final class Timeline implements LockListener {

	private final Instant start;

	// Guarded by its monitor: how often each tick was granted, over all instances.
	private final SortedMap<Instant, Integer> grants = new TreeMap<>();

	private final AtomicInteger bodies = new AtomicInteger();

	private final Queue<TickMissedEvent> missed = new ConcurrentLinkedQueue<>();

	// Set by the test, read by the schedulers.
	private volatile Duration offset;

	/**
	 * Create a time whose clocks show that of the day before, until it begins.
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

	void countBody() {
		this.bodies.incrementAndGet();
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

	void assertThatEachTickRanOnce() {
		synchronized (this.grants) {
			assertThat(this.grants.values()).allMatch((count) -> count == 1);
			assertThat(this.bodies).hasValue(this.grants.size());
			Instant tick = this.start.plusSeconds(1);
			for (; tick.isBefore(this.grants.lastKey()); tick = tick.plusSeconds(1)) {
				assertThat(this.grants).containsKey(tick);
			}
		}
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
