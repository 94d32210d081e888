package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SystemLockClock}.
 */
class SystemLockClockTests {

	private final CompletableFuture<String> stage = new CompletableFuture<>();

	@Test
	void closedClockRefusesTasks() {
		SystemLockClock clock = new SystemLockClock();
		clock.scheduleUnlessDone(this.stage, Duration.ofHours(1), () -> {
		});

		clock.close();

		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> clock.scheduleUnlessDone(this.stage, Duration.ofHours(2), () -> {
			}));
	}

	@Test
	void everyTaskRunsWhateverTheOrderOfTheDelays() throws InterruptedException {
		int tasks = 100;
		CountDownLatch run = new CountDownLatch(tasks);
		try (SystemLockClock clock = new SystemLockClock()) {
			for (int i = 0; i < tasks; i++) {
				clock.scheduleUnlessDone(this.stage, Duration.ofMillis((i * 37) % tasks), run::countDown);
			}

			assertThat(run.await(1, TimeUnit.MINUTES)).isTrue();
		}
	}

}
