package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.distributedlock.contract.VirtualLockClock;
import io.distributedlock.spi.LockClock;
import io.distributedlock.spi.LockClock.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DeadlineList}.
 */
class DeadlineListTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final AtomicInteger timers = new AtomicInteger();

	private final DeadlineList list = new DeadlineList(new CountingClock());

	private final List<String> run = new ArrayList<>();

	private @Nullable Error scheduleFault;

	private @Nullable Error cancelFault;

	@Test
	void tasksRunAtTheirTimesInOrder() {
		add(3, "third");
		add(1, "first");
		add(2, "second");

		this.clock.advance(Duration.ofSeconds(2).minusNanos(1));
		assertThat(this.run).containsExactly("first");

		this.clock.advance(Duration.ofNanos(1));
		assertThat(this.run).containsExactly("first", "second");

		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.run).containsExactly("first", "second", "third");
	}

	@Test
	void cancelledTasksDoNotRun() {
		Timeout first = add(1, "first");
		Timeout second = add(1, "second");
		add(1, "third");

		second.cancel();
		first.cancel();
		first.cancel();
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.run).containsExactly("third");
	}

	@Test
	void oneTimerServesTasksThatAreCancelledInTime() {
		for (int i = 0; i < 1_000; i++) {
			add(2, "never").cancel();
			this.clock.advance(Duration.ofMillis(1));
		}

		assertThat(this.timers).hasValue(1);
		assertThat(this.run).isEmpty();
	}

	@Test
	void taskIsOnTimeAfterTheOneThatSetTheTimerIsGone() {
		Timeout first = add(1, "first");
		add(2, "second");
		first.cancel();

		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.run).isEmpty();

		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.run).containsExactly("second");
	}

	@Test
	void failingTaskDoesNotAffectOthers() {
		this.list.add(Duration.ofSeconds(1), () -> {
			throw new AssertionError("expected by this test");
		});
		add(1, "second");
		add(2, "third");

		this.clock.advance(Duration.ofSeconds(2));

		assertThat(this.run).containsExactly("second", "third");
	}

	@Test
	void taskIsOnTimeAfterATimerCouldNotBeSet() {
		add(3, "third");
		this.scheduleFault = new OutOfMemoryError("expected by this test");
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> add(1, "first"));
		this.scheduleFault = null;
		add(2, "second");

		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.run).containsExactly("first");

		this.clock.advance(Duration.ofSeconds(2));
		assertThat(this.run).containsExactly("first", "second", "third");
	}

	@Test
	void otherTasksAreOnTimeAfterATimerCouldNotBeSet() {
		add(3, "third");
		this.scheduleFault = new OutOfMemoryError("expected by this test");
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> add(1, "first"));
		this.scheduleFault = null;

		this.clock.advance(Duration.ofSeconds(3));

		assertThat(this.run).containsExactly("first", "third");
	}

	@Test
	void tasksAreOnTimeAfterATimerCouldNotBeCancelled() {
		add(3, "third");
		this.cancelFault = new StackOverflowError("expected by this test");
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> add(1, "first"));
		this.cancelFault = null;
		add(2, "second");

		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.run).containsExactly("first");

		this.clock.advance(Duration.ofSeconds(2));
		assertThat(this.run).containsExactly("first", "second", "third");
	}

	@Test
	void taskMayAddAndCancelTasks() {
		Timeout[] third = new Timeout[1];
		this.list.add(Duration.ofSeconds(1), () -> {
			third[0].cancel();
			add(1, "second");
		});
		third[0] = add(1, "cancelled by the first");

		this.clock.advance(Duration.ofSeconds(2));

		assertThat(this.run).containsExactly("second");
	}

	@Test
	void taskFarFromTheEndOfTheListIsRefused() {
		for (int i = 0; i < 20; i++) {
			add(10, "late");
		}

		assertThat(this.list.add(Duration.ofSeconds(1), () -> this.run.add("refused"))).isNull();
		this.clock.advance(Duration.ofSeconds(5));
		assertThat(this.run).isEmpty();
	}

	private Timeout add(int seconds, String name) {
		Timeout timeout = this.list.add(Duration.ofSeconds(seconds), () -> this.run.add(name));
		assertThat(timeout).isNotNull();
		return timeout;
	}

	private final class CountingClock implements LockClock {

		@Override
		public long nanoTime() {
			return DeadlineListTests.this.clock.nanoTime();
		}

		@Override
		public long wallMillis() {
			return DeadlineListTests.this.clock.wallMillis();
		}

		@Override
		public Timeout schedule(Duration delay, Runnable task) {
			if (DeadlineListTests.this.scheduleFault != null) {
				throw DeadlineListTests.this.scheduleFault;
			}
			DeadlineListTests.this.timers.incrementAndGet();
			Timeout timeout = DeadlineListTests.this.clock.schedule(delay, task);
			return () -> {
				if (DeadlineListTests.this.cancelFault != null) {
					throw DeadlineListTests.this.cancelFault;
				}
				timeout.cancel();
			};
		}

	}

}
