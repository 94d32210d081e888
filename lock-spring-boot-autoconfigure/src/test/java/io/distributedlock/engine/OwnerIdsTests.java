package io.distributedlock.engine;

import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.distributedlock.spi.ClockReading;
import io.distributedlock.spi.OwnerId;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link OwnerIds}.
 */
class OwnerIdsTests {

	private static final long NOW = 1_800_000_000_000L;

	private final AtomicInteger draws = new AtomicInteger();

	private boolean failing;

	private final OwnerIds ids = new OwnerIds(new CountingGenerator());

	@Test
	void idsAreDistinct() {
		Set<OwnerId> all = new HashSet<>();

		IntStream.range(0, 1_000).forEach((i) -> all.add(next(NOW)));

		assertThat(all).hasSize(1_000).allMatch((id) -> id.value().matches("[0-9a-f]{32}"));
		assertThat(this.draws).hasValue(32);
	}

	@Test
	void idsOfAllThreadsAreDistinct() throws InterruptedException {
		Set<OwnerId> all = Collections.newSetFromMap(new ConcurrentHashMap<>());
		Thread[] threads = new Thread[4];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> IntStream.range(0, 100).forEach((j) -> all.add(next(NOW))));
			threads[i].start();
		}
		for (Thread thread : threads) {
			thread.join();
		}

		assertThat(all).hasSize(400);
	}

	@Test
	void bitsAreNotUsedAfterTime() {
		next(NOW);
		next(NOW + 99);
		assertThat(this.draws).hasValue(1);

		next(NOW + 100);
		assertThat(this.draws).hasValue(2);
	}

	@Test
	void bitsAreNotUsedAfterTheWallClockWasPutBack() {
		next(NOW);

		next(NOW - 1);

		assertThat(this.draws).hasValue(2);
	}

	@Test
	void failureToDrawLeavesNoBits() {
		next(NOW);
		this.failing = true;
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> next(NOW + 1_000));
		this.failing = false;

		next(NOW);

		assertThat(this.draws).hasValue(2);
	}

	private OwnerId next(long wallMillis) {
		return this.ids.next(new ClockReading(0, wallMillis));
	}

	private final class CountingGenerator implements RandomGenerator {

		private final RandomGenerator delegate = RandomGenerator.of("SplittableRandom");

		@Override
		public synchronized long nextLong() {
			return this.delegate.nextLong();
		}

		@Override
		public synchronized void nextBytes(byte[] bytes) {
			if (OwnerIdsTests.this.failing) {
				throw new StackOverflowError("expected by this test");
			}
			OwnerIdsTests.this.draws.incrementAndGet();
			this.delegate.nextBytes(bytes);
		}

	}

}
