package io.distributedlock.integration;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for interrupts of threads that wait for a lock.
 */
class LeaseLockInterruptTests {

	private final RegistryFixture fixture = new RegistryFixture();

	private final DistributedLock lock = this.fixture.registry.obtain("k");

	@BeforeEach
	void lock() {
		this.lock.lock();
	}

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void lockKeepsWaitingAndSetsTheFlagAtTheEnd() throws Exception {
		Waiting waiting = new Waiting(this.lock::lock);
		waiting.interrupt();
		assertThat(waiting.outcome).isNotDone();

		this.lock.unlock();

		assertThat(waiting.outcome.get(10, TimeUnit.SECONDS)).isEqualTo("returned, interrupted: true");
		assertThat(this.fixture.isHeld("k")).isTrue();
	}

	@Test
	void lockInterruptiblyEndsAndHoldsNothing() throws Exception {
		Waiting waiting = new Waiting(this.lock::lockInterruptibly);

		waiting.interrupt();

		assertThat(waiting.outcome.get(10, TimeUnit.SECONDS)).isEqualTo("InterruptedException, interrupted: false");
		this.lock.unlock();
		assertThat(this.lock.tryLock()).isTrue();
	}

	@Test
	void tryLockWithATimeEndsAndHoldsNothing() throws Exception {
		Waiting waiting = new Waiting(() -> this.lock.tryLock(1, TimeUnit.DAYS));

		waiting.interrupt();

		assertThat(waiting.outcome.get(10, TimeUnit.SECONDS)).isEqualTo("InterruptedException, interrupted: false");
		this.lock.unlock();
		assertThat(this.lock.tryLock()).isTrue();
	}

	@Test
	void lockInterruptiblyOfAnInterruptedThreadTakesNothing() {
		DistributedLock free = this.fixture.registry.obtain("free");
		Thread.currentThread().interrupt();

		assertThatExceptionOfType(InterruptedException.class).isThrownBy(free::lockInterruptibly);

		assertThat(Thread.interrupted()).isFalse();
		assertThat(this.fixture.isHeld("free")).isFalse();
	}

	@Test
	void tryLockOfAnInterruptedThreadStillMakesItsAttempt() {
		DistributedLock free = this.fixture.registry.obtain("free");
		Thread.currentThread().interrupt();

		boolean locked = free.tryLock();

		assertThat(Thread.interrupted()).isTrue();
		assertThat(locked).isTrue();
	}

	/**
	 * A thread that waits for the lock.
	 */
	private final class Waiting {

		private final CountDownLatch begun = new CountDownLatch(1);

		private volatile Thread thread;

		private final Future<String> outcome;

		Waiting(Entry entry) throws InterruptedException {
			this.outcome = LeaseLockInterruptTests.this.fixture.elsewhere(() -> {
				this.thread = Thread.currentThread();
				this.begun.countDown();
				return outcomeOf(entry);
			});
			assertThat(this.begun.await(10, TimeUnit.SECONDS)).isTrue();
			awaitParked();
		}

		private static String outcomeOf(Entry entry) {
			String how = "returned";
			try {
				entry.enter();
			}
			catch (Exception ex) {
				how = ex.getClass().getSimpleName();
			}
			return how + ", interrupted: " + Thread.interrupted();
		}

		void interrupt() {
			this.thread.interrupt();
			if (!this.outcome.isDone()) {
				// A thread that continues to wait has noticed the interrupt when its flag
				// is cleared.
				Awaitility.await().until(() -> !this.thread.isInterrupted() || this.outcome.isDone());
			}
		}

		private void awaitParked() {
			Awaitility.await()
				.until(() -> this.thread.getState() == Thread.State.WAITING
						|| this.thread.getState() == Thread.State.TIMED_WAITING);
		}

	}

	/**
	 * A way to wait for the lock.
	 */
	@FunctionalInterface
	private interface Entry {

		void enter() throws Exception;

	}

}
