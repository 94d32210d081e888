package io.distributedlock.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.LockClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class VirtualLockClockTests {

	private final VirtualLockClock clock = new VirtualLockClock();

	private final long start = this.clock.nanoTime();

	private final List<String> ran = new ArrayList<>();

	@Test
	void tasksRunInTheOrderOfTheirTimesAndSeeThem() {
		schedule(20, "late");
		schedule(10, "early");
		schedule(10, "early too");

		this.clock.advance(Duration.ofMillis(30));

		assertThat(this.ran).containsExactly("early at 10", "early too at 10", "late at 20");
		assertThat(elapsedMillis()).isEqualTo(30);
	}

	@Test
	void taskThatIsNotDueYetWaits() {
		schedule(20, "late");

		this.clock.advance(Duration.ofMillis(19));

		assertThat(this.ran).isEmpty();
		assertThat(this.clock.pending()).isOne();
	}

	@Test
	void taskThatATaskSchedulesRunsInTheSameMove() {
		this.clock.schedule(Duration.ofMillis(10), () -> schedule(5, "second"));

		this.clock.advance(Duration.ofMillis(15));

		assertThat(this.ran).containsExactly("second at 15");
	}

	@Test
	void taskWithoutDelayRunsAtTheNextMoveAndNotBefore() {
		schedule(0, "now");
		assertThat(this.ran).isEmpty();

		this.clock.advance(Duration.ZERO);

		assertThat(this.ran).containsExactly("now at 0");
	}

	@Test
	void cancelledTaskNeverRuns() {
		LockClock.Timeout timeout = schedule(10, "cancelled");

		timeout.cancel();
		this.clock.advance(Duration.ofMillis(10));

		assertThat(this.ran).isEmpty();
		assertThat(this.clock.pending()).isZero();
	}

	@Test
	void wallClockFollowsAndJumpsAlone() {
		long wall = this.clock.wallMillis();

		this.clock.advance(Duration.ofMillis(10));
		this.clock.jumpWall(Duration.ofMillis(-50));

		assertThat(this.clock.wallMillis() - wall).isEqualTo(-40);
		assertThat(elapsedMillis()).isEqualTo(10);
	}

	@Test
	void suspendedMachineLosesMonotonicTimeAndRunsNothing() {
		long wall = this.clock.wallMillis();
		schedule(10, "late");

		this.clock.suspend(Duration.ofSeconds(1));

		assertThat(this.clock.wallMillis() - wall).isEqualTo(1_000);
		assertThat(elapsedMillis()).isZero();
		assertThat(this.ran).isEmpty();
	}

	@Test
	void taskCannotMoveTheClock() {
		this.clock.schedule(Duration.ofMillis(10), () -> this.clock.advance(Duration.ofMillis(1)));

		assertThatIllegalStateException().isThrownBy(() -> this.clock.advance(Duration.ofMillis(10)));
	}

	@Test
	void otherThreadsMayScheduleWhileATaskRuns() {
		this.clock.schedule(Duration.ofMillis(10),
				() -> CompletableFuture.runAsync(() -> schedule(5, "from outside"))
					.orTimeout(10, TimeUnit.SECONDS)
					.join());

		this.clock.advance(Duration.ofMillis(20));

		assertThat(this.ran).containsExactly("from outside at 15");
	}

	private LockClock.Timeout schedule(long millis, String name) {
		return this.clock.schedule(Duration.ofMillis(millis), () -> this.ran.add(name + " at " + elapsedMillis()));
	}

	private long elapsedMillis() {
		return Duration.ofNanos(this.clock.nanoTime() - this.start).toMillis();
	}

}
